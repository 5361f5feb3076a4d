import CofferTestSupport
import Foundation
import Testing

@testable import CofferGit

@Suite struct RemoteURLTests {
  @Test(arguments: [
    "/srv/vault.git", "/srv//./a/../vault.git", "file:///srv/vault.git",
    "file://localhost/srv/my%20vault.git", "ssh://host/vault.git", "ssh://me@host:2222/srv/vault.git",
    "ssh://[::1]:22/vault.git", "ssh://host/~me/vault.git", "host:vault.git", "me@host.example:dir/vault.git",
    "[::1]:vault.git", "me@example.com@host:vault.git", "https://host/vault.git",
    "https://me@host:8443/a/vault%20x.git",
    "http://[::1]:80/vault.git", "git://host/vault.git", "git://host:9999/~me/vault.git",
  ])
  func `An absolute path and a URL are accepted and printed unchanged`(_ text: String) throws {
    #expect(try RemoteURL(text).description == text)
  }

  @Test(arguments: [
    ("vault.git", "HERE/vault.git"), ("./a//./vault.git", "HERE/a/vault.git"), (".", "HERE"),
    ("../vault.git", "UP/vault.git"), ("./../x/../vault.git", "UP/x/../vault.git"), ("~/vault.git", "HOME/vault.git"),
    ("~", "HOME"), (String(repeating: "../", count: 99) + "vault.git", "/vault.git"),
  ])
  func `A relative path is printed as the absolute one that it means`(_ text: String, _ shown: String) throws {
    let here = FileManager.default.currentDirectoryPath
    let path = shown.replacing("HERE", with: here)
      .replacing("UP/", with: URL(fileURLWithPath: here).deletingLastPathComponent().path + "/").replacing(
        "//", with: "/"
      )
      .replacing("HOME", with: try #require(ProcessInfo.processInfo.environment["HOME"]))
    let url = try RemoteURL(text)
    #expect(url.description == path)
    #expect(url.location == .path(path))
    #expect(try RemoteURL(path).location == url.location)
  }

  @Test(arguments: [
    "", "-upload-pack=x", "--", "ssh://-oProxyCommand=touch/x", "ssh://me@-host/x", "-host:x", "ssh://-me@host/x",
    "ssh://host/~-x\u{0}", "host:-x", "ssh://%2doProxyCommand=x/y", "/srv/a\nb", "/srv/a\rb", "ssh://host/a%0ab",
    "ssh://host/%00", "ssh://ho;st/x", "ssh://$(id)@host/x", "ssh://`id`/x", "ssh://host:0/x", "ssh://host:99999/x",
    "ssh://host:+22/x", "ssh://host", "ssh://host/", "ssh:///x", "host:", ":x", "@host:x", "file://other/x",
    "file://",
    "ftp://host/x", "~other/x", "ssh://host/%zz", "ssh://host/%ff", "ssh://me:hunter2@host/x",
    "ssh://me%3Ahunter2@host/x", "me:hunter2@host:x", "https://me:hunter2@host/x", "http://me%3ahunter2@host/x",
    "git://me@host/x",
    "https://host", "https://host/", "https:///x", "https://host/x?y", "https://host/x#y", "https://host/a\\b",
    "https://-host/x", "https://ho st/x", "https://host:0/x", "https://[::1]x/y", "https://host/%zz", "git://-host/x",
    "git://host", "ssh://[::1/x", "ssh://[x y]/x",
    "/\u{85}", String(repeating: "/a", count: 2049),
  ])
  func `A possible option, shell syntax or secret is refused without being repeated`(_ text: String) throws {
    let error = failure { _ = try RemoteURL(text) }
    #expect(error?.code == .invalidURL)
    #expect(error?.description.contains("hunter2") == false)
    #expect(error?.description.contains("\n") == false)
  }

  @Test(arguments: ["ext::sh -c id", "host::x"])
  func `A transport that is not supported is named`(_ text: String) throws {
    #expect(failure { _ = try RemoteURL(text) }?.code == .unsupportedScheme)
  }

  @Test(arguments: [
    "it's", "a!b", "$(touch x)", "'; touch x; '", "'\u{301}; touch x; '\u{301}", "!\u{309}'\u{309}", "`x`\\",
    "'\u{200D}'", "e\u{301}\u{301}", "-\u{301}",
  ])
  func `The shell of the remote passes the path on as it is, whatever it contains`(_ path: String) throws {
    let folder = try TemporaryDirectory()
    try folder.writeScript("git-upload-pack", "printf '%s|' \"$@\"")
    let url = try RemoteURL("ssh://host/srv/" + path.replacing("%", with: "%25"))
    let command = try url.command(
      for: .uploadPack, programs: TransportPrograms(), limits: TransferLimits(), mayPrompt: false)
    let said = try Command.run(
      "sh", "-c", try #require(command.last), in: folder.url,
      environment: ["PATH": "\(folder.path):/usr/bin:/bin"])
    #expect(said.utf8.elementsEqual("/srv/\(path)|".utf8))
    #expect(!FileManager.default.fileExists(atPath: folder.path("x")))
  }

  @Test(arguments: [
    "-\u{301}x", "host:-\u{301}x", "~\u{301}x", "me:\u{301}hunter2@host:x", "me:hunter2@\u{301}host:x",
    "ssh://me:\u{301}hunter2@host/x", "ssh://me:hunter2@\u{301}host/x", "ssh://host:22\u{301}/x",
    "host::\u{301}x",
  ])
  func `A combining mark does not hide the punctuation before it`(_ text: String) throws {
    let error = failure { _ = try RemoteURL(text) }
    #expect(error != nil)
    #expect(error?.description.contains("hunter2") == false)
  }
}
