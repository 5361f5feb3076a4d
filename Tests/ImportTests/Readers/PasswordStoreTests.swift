import CofferImport
import CofferSystem
import CofferTestSupport
import Foundation
import Testing

@Suite struct PasswordStoreTests {
  @Test func `The first line is the password, and everything after it is kept byte for byte`() {
    let text = PasswordStoreText(Array("p w \r\nlogin:  jane\nURL: x\n\notpauth://totp/a?secret=AA\n\u{301}\n".utf8))
    #expect(text.password == Array("p w \r".utf8))
    #expect(text.rest == Array("login:  jane\nURL: x\n\notpauth://totp/a?secret=AA\n\u{301}\n".utf8))
    #expect(text.username == "jane" && text.oneTimeCode == "otpauth://totp/a?secret=AA")
  }

  @Test func `A list of folders has neither names nor values`() throws {
    var lines: [ImportLine] = []
    var sink = EntrySink(source: "csv", foldersOnly: true) { lines.append($0) }
    let text = "name,username,password,note,folder\nSite,jane,p,n,Work\n"
    try CSVSource(.bytes(Array(text.utf8))).read(into: &sink)
    #expect(lines.map(\.folder) == ["Work", "Work"])
    #expect(lines.allSatisfy { $0.attributes?.isEmpty == true && $0.bytes.isEmpty })
  }

  @Test func `A binary file is one value, and gopass's header has the password of its entry`() {
    let binary: [UInt8] = [10, 0, 255, 10, 10]
    #expect(PasswordStoreText(binary).password == binary && PasswordStoreText(binary).rest.isEmpty)
    let entry = PasswordStoreText(Array("GOPASS-SECRET-1.0\nPassword: p\nUsername: j\n\nbody\n".utf8))
    #expect(entry.password == Array("p".utf8) && entry.username == "j")
    #expect(entry.rest == Array("Password: p\nUsername: j\n\nbody\n".utf8))
    let twice = PasswordStoreText(Array("GOPASS-SECRET-1.0\nPassword: p\nPassword: q\n\nPassword: r\n".utf8))
    #expect(twice.password == Array("p".utf8))
    let body = PasswordStoreText(Array("GOPASS-SECRET-1.0\n\nPassword: r\n".utf8))
    #expect(body.password == Array("GOPASS-SECRET-1.0".utf8))
  }

  @Test func `Links inside of a store are entries, and none is followed out of it`() throws {
    let folder = try TemporaryDirectory()
    let store = folder.url.appending(path: "store")
    let files = FileManager.default
    try files.createDirectory(at: store.appending(path: "a/b"), withIntermediateDirectories: true)
    try files.createDirectory(at: store.appending(path: ".git"), withIntermediateDirectories: true)
    try folder.write("outside.gpg", "x")
    for path in ["store/a/one.gpg", "store/a/b/two.gpg", "store/readme.txt", "store/.git/x.gpg"] {
      try folder.write(path, "x")
    }
    for (link, target) in [
      ("alias.gpg", "a/one.gpg"), ("escape.gpg", "../outside.gpg"), ("absolute.gpg", "/etc/passwd"), ("loop", "a"),
      ("up", ".."), ("dangling.gpg", "nothing"), ("self.gpg", "self.gpg"),
    ] {
      try files.createSymbolicLink(atPath: store.appending(path: link).path, withDestinationPath: target)
    }
    let lines = try ReadLines.read(PasswordStoreSource.gpg(store.path, namesOnly: true))
    #expect(lines.items.map { $0.text("svce") } == ["a/b/two", "a/one", "alias"])
    #expect(lines.items.map(\.folder) == ["a/b", "a", ""])
    #expect(
      lines.skipped.map(\.name) == ["absolute.gpg", "dangling.gpg", "escape.gpg", "loop", "self.gpg", "up"])
  }

  @Test func `A hidden entry is imported, and a name that is no UTF-8 is reported`() throws {
    let folder = try TemporaryDirectory()
    for path in ["project", ".hidden", ".git", ".public-keys"] {
      try FileManager.default.createDirectory(atPath: folder.path(path), withIntermediateDirectories: true)
    }
    for path in [
      "project/.env.gpg", ".hidden/a.gpg", ".gpg", "plain.gpg", ".git/x.gpg", ".public-keys/x.gpg", ".gpg-id",
    ] { try folder.write(path, "x") }
    // Foundation cannot write such a name.
    try Command.run("sh", "-c", #"cp "$0/plain.gpg" "$0/$(printf 'b\377').gpg""#, folder.path)
    let lines = try ReadLines.read(PasswordStoreSource.gpg(folder.path, namesOnly: true))
    #expect(lines.items.map { $0.text("svce") } == [".hidden/a", "plain", "project/.env"])
    #expect(lines.skipped.map(\.name) == [".gpg", "b\u{FFFD}.gpg"])
    #expect(lines.skipped.map(\.skipped) == ["it has no name before its extension", "its name is no UTF-8"])
  }

  @Test func `A folder without entries is refused`() throws {
    let folder = try TemporaryDirectory()
    #expect(throws: ImportError.self) { try ReadLines.read(PasswordStoreSource.gpg(folder.path)) }
    #expect(throws: ImportError.self) { try ReadLines.read(PasswordStoreSource.gpg(folder.path("missing"))) }
  }
}
