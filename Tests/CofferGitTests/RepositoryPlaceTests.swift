import CofferTestSupport
import Foundation
import Testing

@testable import CofferGit

@Suite struct RepositoryPlaceTests {
  /// A program in the place of ssh that writes its arguments to a file, a line each.
  private func recorder(_ folder: TemporaryDirectory) throws -> TransportPrograms {
    TransportPrograms(ssh: try folder.writeScript("ssh", "for word; do echo \"$word\"; done > '\(folder.path)'/words"))
  }

  @Test(arguments: [
    ("jane@nas.local", "jane@nas.local:coffer.git", "jane@nas.local"), ("nas", "nas:coffer.git", "nas"),
    ("ssh://jane@nas:2222", "ssh://jane@nas:2222/~/coffer.git", "jane@nas"),
    ("ssh://[::1]/", "ssh://[::1]/~/coffer.git", "::1"),
  ])
  func `A host gets a private repository in the home folder, by a fixed command`(
    _ place: String, _ url: String, _ host: String
  ) throws {
    let folder = try TemporaryDirectory()
    let found = try RepositoryPlace.find(place, isCreating: true, programs: recorder(folder))
    #expect(found.url.description == url)
    let words = try String(contentsOfFile: folder.path("words"), encoding: .utf8).split(separator: "\n").map(
      String.init)
    let end = try #require(words.firstIndex(of: "--"))
    #expect(words[(end + 1)...].first == host)
    #expect(words.last?.contains("umask 077") == true && words.last?.contains("git init") == true)
    #expect(words.count == end + 3)
  }

  @Test(arguments: [
    "-oProxyCommand=x", "-oProxyCommand=x@host", "jane@-host", "a b", "$(x)", "jane@host;x", "jane@h`x`", "ssh://-x",
    "ssh://jane@-x:22", "host\nx", "",
  ])
  func `A host that could be an option or a command is refused, and ssh is not started`(_ place: String) throws {
    let folder = try TemporaryDirectory()
    #expect(throws: GitError.self) {
      try RepositoryPlace.find(place, isCreating: true, programs: recorder(folder))
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path("words")))
  }

  @Test func `A folder gets a repository once, which only its owner reads, and a repository stays itself`() throws {
    let folder = try TemporaryDirectory()
    let first = try RepositoryPlace.find(folder.path, isCreating: true).url
    #expect(first.description == folder.path("coffer.git"))
    let mode = try FileManager.default.attributesOfItem(atPath: first.description)[.posixPermissions] as? Int
    #expect(mode == 0o700)
    for place in [folder.path, folder.path + "/", first.description] {
      #expect(try RepositoryPlace.find(place, isCreating: true).url == RemoteURL(first.description), "\(place)")
    }
    #expect(throws: GitError.self) { try RepositoryPlace.find(folder.path("absent"), isCreating: true) }
    let url = try RepositoryPlace.find("https://host/x.git", isCreating: true)
    #expect(url.url.description == "https://host/x.git" && url.note == nil)
  }

  @Test func `The note on a folder says that its writers can run programs as the user`() throws {
    let folder = try TemporaryDirectory()
    let first = try RepositoryPlace.find(folder.path, isCreating: true)
    let second = try RepositoryPlace.find(first.url.description, isCreating: false)
    for note in [first.note, second.note] {
      #expect(note?.contains("can run programs as you") == true)
      #expect(note?.contains("\n") == false, "It is one line of the output.")
    }
  }

  @Test func `Without a request to create one, nothing is created`() throws {
    let folder = try TemporaryDirectory()
    #expect(try RepositoryPlace.find(folder.path, isCreating: false).url.description == folder.path("coffer.git"))
    #expect(!FileManager.default.fileExists(atPath: folder.path("coffer.git")))
    #expect(try RepositoryPlace.find("nas", isCreating: false, programs: recorder(folder)).note != nil)
    #expect(!FileManager.default.fileExists(atPath: folder.path("words")))
  }

  @Test(arguments: [".stfolder", ".dropbox", ".nextcloudsync.log"])
  func `A folder in one that another program copies is refused, and so is a repository in it`(_ mark: String) throws {
    let folder = try TemporaryDirectory()
    let inner = folder.path("a/b")
    try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: true)
    _ = try RepositoryPlace.find(inner, isCreating: true)
    _ = try folder.write(mark, "")
    for place in [inner, inner + "/coffer.git"] {
      let error = #expect(throws: GitError.self) { try RepositoryPlace.find(place, isCreating: true) }
      #expect(error?.message.contains("copies this folder") == true, "\(place)")
    }
  }

  @Test func `What a host says when it creates nothing is in the error, without escapes`() throws {
    let folder = try TemporaryDirectory()
    let ssh = try folder.writeScript("ssh", "printf 'no \\033[2Jgit here' >&2; exit 127")
    let error = #expect(throws: GitError.self) {
      try RepositoryPlace.find("nas", isCreating: true, programs: TransportPrograms(ssh: ssh))
    }
    #expect(error?.message.contains("git here") == true && error?.message.contains("\u{1b}") == false)
  }
}
