import CofferTestSupport
import Foundation
import Testing

@Suite(.enabled(if: PasswordStoreScene.isAvailable, "Scripts/bootstrap --with pass installs it"))
struct PasswordStoreImportTests {
  private let scene: PasswordStoreScene
  private var machine: Machine { scene.machine }

  /// Values with newlines, NUL, invalid UTF-8 and 1 MB, and names with spaces and accents.
  private static let entries: [(name: String, contents: [UInt8])] = [
    ("Email/example.org", Array("s3cret\nlogin: jane\nurl: https://example.org\n\nrecovery: 1\n".utf8)),
    ("Email/with code", Array("pw\notpauth://totp/x?secret=JBSWY3DP\n".utf8)),
    ("Email/counter", Array("pw\notpauth://hotp/x?secret=JBSWY3DP&counter=1\n".utf8)),
    ("otp only", Array("otpauth://totp/y?secret=JBSWY3DP&period=1000000\n".utf8)),
    ("bank/é ü", Array("only a line\n".utf8)), ("file/bytes", [0, 255, 10, 0, 200, 10]),
    ("file/long", [UInt8](repeating: UInt8(ascii: "y"), count: 1 << 20)), ("empty", []),
  ]

  init() throws {
    scene = try PasswordStoreScene()
    for (name, contents) in Self.entries { try scene.insert(name, contents) }
  }

  @Test func `Every entry of a store is imported whole, and a second run changes nothing`() throws {
    let dry = try machine.imported("pass", scene.store, "--dry-run")
    #expect(dry.entryCount == 8 && dry.counts == [12, 0, 0, 0])
    #expect(!FileManager.default.fileExists(atPath: machine.vault.path))

    let report = try machine.imported("pass", scene.store)
    #expect(report.entryCount == 8 && report.counts == dry.counts)
    #expect(try machine.value("Email/example.org", "jane") == Array("s3cret".utf8))
    let notes = try machine.value("Email/example.org:notes", "jane")
    #expect(notes == Array("login: jane\nurl: https://example.org\n\nrecovery: 1\n".utf8))
    // What can be computed is an attribute of the password; a code by a counter stays an item.
    #expect(try machine.coffer("otp", "uri", "Email/with code").hasPrefix("otpauth://totp/x?secret=JBSWY3DP"))
    #expect(try machine.run("coffer", "get", "Email/with code:otp").exitCode == 3)
    #expect(
      try machine.value("Email/counter:otp") == Array("otpauth://hotp/x?secret=JBSWY3DP&counter=1".utf8))
    #expect(try machine.coffer("otp", "otp only").count == 6)
    #expect(try machine.value("bank/é ü") == Array("only a line".utf8))
    #expect(try machine.value("file/bytes") == [0, 255, 10, 0, 200, 10])
    #expect(try machine.value("file/long").count == 1 << 20)
    #expect(try machine.value("empty").isEmpty)

    let before = try machine.exportedJSON()
    #expect(try machine.imported("pass", scene.store).counts == [0, 12, 0, 0])
    #expect(try machine.exportedJSON() == before)
    for (name, contents) in Self.entries { #expect(try scene.shown(name) == contents, "\(name) was changed") }
  }

  @Test func `An exported store has the same entries, and imports into an empty vault as the first one`() throws {
    _ = try machine.imported("pass", scene.store)
    let copy = machine.directory.path("copy")
    let report = try machine.coffer("export", "pass", copy, "--recipient", "test@example.org")
    #expect(!report.contains("renamed"), "\(report)")
    for (name, contents) in Self.entries {
      // pass ends a line that has none.
      let whole = contents.last == 10 || contents.contains(0) ? contents : contents + [10]
      #expect(try scene.shown(name, in: copy) == whole, "\(name)")
    }
    let first = try machine.exportedJSON()
    machine.environment["COFFER_HOME"] = machine.directory.path("second")
    _ = try machine.imported("pass", copy)
    #expect(try machine.exportedJSON() == first)
    // What the store has is not written again.
    #expect(try machine.coffer("export", "pass", copy).contains("0 entries exported, 8 skipped"))
  }

  @Test func `A name in the vault can neither leave an exported store nor hide in it`() throws {
    try machine.coffer("set", "../../evil", ".hidden", input: "x")
    try machine.coffer("set", "/etc/-o", input: "y")
    let copy = machine.directory.path("copy")
    let report = try machine.coffer("export", "pass", copy, "--recipient", "test@example.org")
    #expect(report.contains("renamed: ../../evil/.hidden: _../_../evil/_.hidden\n"), "\(report)")
    #expect(report.contains("renamed: /etc/-o: etc/_-o\n"), "\(report)")
    let files = try FileManager.default.subpathsOfDirectory(atPath: copy).filter { $0.hasSuffix(".gpg") }
    #expect(files.sorted() == ["_../_../evil/_.hidden.gpg", "etc/_-o.gpg"])
    #expect(try scene.shown("etc/_-o", in: copy) == Array("y\n".utf8))
    // A folder of the store that is a link is not followed.
    try FileManager.default.removeItem(atPath: "\(copy)/etc")
    try FileManager.default.createSymbolicLink(atPath: "\(copy)/etc", withDestinationPath: machine.directory.path)
    let refused = try machine.run("coffer", "export", "pass", copy)
    #expect(refused.exitCode == 2 && refused.errors.contains("etc is no folder"), "\(refused)")
  }

  @Test func `A folder's own keys are used for its entries, and a store keeps the keys that it has`() throws {
    try machine.coffer("set", "Shared/a", input: "a")
    let copy = machine.directory.path("copy")
    try machine.coffer("export", "pass", copy, "--recipient", "test@example.org")
    let again = try machine.run("coffer", "export", "pass", copy, "--recipient", "other@example.org")
    #expect(again.exitCode == 2 && again.errors.contains("has keys already"), "\(again)")
    try FileManager.default.createDirectory(atPath: "\(copy)/Private", withIntermediateDirectories: true)
    try machine.directory.write("copy/Private/.gpg-id", "nobody@example.org\n")
    try machine.coffer("set", "Private/team/b", input: "b")
    let refused = try machine.run("coffer", "export", "pass", copy)
    #expect(refused.exitCode == 2 && refused.errors.contains("keys of the store: nobody@example.org"), "\(refused)")
    #expect(!FileManager.default.fileExists(atPath: "\(copy)/Private/team/b.gpg"))
  }

  @Test func `A password that pass would read differently is left out by name, with 1`() throws {
    try machine.coffer("set", "two lines", input: "a\nb")
    _ = try machine.run("coffer", "set", "bytes", "jane", input: Data([0xff, 0, 10]))
    let copy = machine.directory.path("copy")
    let outcome = try machine.run("coffer", "export", "pass", copy, "--recipient", "test@example.org")
    #expect(outcome.exitCode == 1, "\(outcome)")
    #expect(outcome.text.contains("skipped: two lines: pass reads a password up to"), "\(outcome)")
    #expect(outcome.text.contains("1 entry exported, 1 skipped"), "\(outcome)")
    #expect(try scene.shown("bytes/jane", in: copy) == [0xff, 0, 10])
  }

  @Test func `A one-time code that came after the import is in the exported file, or is named`() throws {
    _ = try machine.imported("pass", scene.store)
    try machine.coffer("otp", "add", "bank/é ü", input: "JBSWY3DPEHPK3PXP")
    try machine.coffer("otp", "add", "Email/with code", "--replace", input: "GEZDGNBVGY3TQOJQ")
    try machine.coffer("otp", "add", "file/bytes", input: "JBSWY3DPEHPK3PXP")
    let copy = machine.directory.path("copy")
    let said = try machine.coffer("export", "pass", copy, "--recipient", "test@example.org")
    #expect(said.contains("skipped: file/bytes: its value is no text"), "\(said)")
    let added = String(decoding: try scene.shown("bank/é ü", in: copy), as: UTF8.self)
    #expect(added.wholeMatch(of: /only a line\notpauth:\/\/totp\/.*secret=JBSWY3DPEHPK3PXP.*\n/) != nil, "\(added)")
    let replaced = String(decoding: try scene.shown("Email/with code", in: copy), as: UTF8.self)
    #expect(replaced.wholeMatch(of: /pw\notpauth:\/\/totp\/.*secret=GEZDGNBVGY3TQOJQ.*\n/) != nil, "\(replaced)")
  }

  @Test func `Entries without a password that differ in the user are exported with the user's name`() throws {
    let entries = ["jane", "joe"].map { user in
      let fields = [("Title", "Door"), ("UserName", user), ("Notes", "\(user) 1234")]
        .map { "<String><Key>\($0.0)</Key><Value>\($0.1)</Value></String>" }
      return "<Entry>\(fields.joined())</Entry>"
    }
    let xml = "<KeePassFile><Root><Group>\(entries.joined())</Group></Root></KeePassFile>"
    _ = try machine.imported("keepassxc", machine.directory.write("door.xml", xml))
    let copy = machine.directory.path("copy")
    try machine.coffer("export", "pass", copy, "--recipient", "test@example.org")
    for user in ["jane", "joe"] {
      #expect(try scene.shown("Door/\(user)", in: copy) == Array("\nlogin: \(user)\n\(user) 1234".utf8))
    }
  }

  @Test func `An import ends if none of the first entries can be decrypted`() throws {
    for name in ["0", "1", "2"] { try machine.directory.write("store/\(name).gpg", "no message of gpg") }
    let outcome = try machine.run("coffer", "import", "pass", scene.store)
    #expect(outcome.exitCode == 2 && outcome.errors.contains("none of the first 3 entries"), "\(outcome)")
    #expect(outcome.errors.contains("pass show 2"), "\(outcome)")
  }

  @Test func `A file that gpg cannot decrypt is skipped and named, and the others are imported`() throws {
    try machine.directory.write("store/broken.gpg", "no message of gpg")
    let report = try machine.imported("pass", scene.store)
    #expect(report.counts == [12, 0, 0, 1] && report.skipped.first?.name == "broken")
  }

  @Test func `A mapping is written, edited and obeyed`() throws {
    try machine.makeVault()
    try machine.register("PhotoPro")
    let mapping = machine.directory.path("folders.json")
    try machine.coffer("import", "pass", scene.store, "--write-mapping", mapping)
    let written = try JSONDecoder().decode(
      [String: [String: String?]].self, from: Data(contentsOf: URL(filePath: mapping)))
    #expect(written == ["folders": ["": "", "Email": "", "bank": "", "file": ""]])
    try machine.directory.write("folders.json", #"{"folders": {"bank": "com.example.photo.purchases"}}"#)
    // The other folders go to the group of an import without a mapping.
    let partly = try machine.run("coffer", "import", "pass", scene.store, "--mapping", mapping, "--dry-run")
    #expect(partly.exitCode == 0, "\(partly)")
    try machine.directory.write(
      "folders.json",
      #"{"folders": {"": "com.example.photo.pro", "bank": "com.example.photo.purchases", "file": null}}"#)
    let report = try machine.imported("pass", scene.store, "--mapping", mapping)
    #expect(report.counts == [10, 0, 0, 2])
    #expect(try machine.coffer("get", "bank/é ü", "--group", "com.example.photo.purchases") == "only a line")
    #expect(try machine.coffer("get", "Email/example.org", "jane", "--group", "com.example.photo.pro") == "s3cret")
  }
}
