import CofferTestSupport
import Foundation
import Testing

/// Files that other programs read, and that come back as they were.
@Suite struct ExportTests {
  private let machine: Machine

  /// A vault with items of its own, and with imported ones that have every part: passkeys, notes, codes, attachments.
  init() throws {
    machine = try Machine()
    try machine.coffer("set", "github.com", "jane", "--label", "A \"label\"", input: "s3cret,\"x\"\n")
    _ = try machine.run("coffer", "set", "bytes", input: Data([0xff, 0, 10, 0xfe]))
    _ = try machine.imported("bitwarden", Self.bitwarden(in: machine))
    _ = try machine.imported("keepassxc", Self.keePass(in: machine))
  }

  private static func bitwarden(in machine: Machine) throws -> String {
    try machine.directory.write(
      "bitwarden.json",
      """
      {"encrypted":false,"folders":[{"id":"f","name":"Work"}],"items":[{"id":"i1","folderId":"f","type":1,"name":"Mail",
      "notes":"line 1\\nline 2","creationDate":"2020-01-02T03:04:05Z","fields":[{"name":"PIN","value":"1234","type":1}],
      "login":{"uris":[{"uri":"https://mail.example/in"}],"username":"jane@mail","password":"p\\u0000\\nq","totp":"JBSWY3DP",
      "fido2Credentials":[{"credentialId":"b64.Y3Jl","keyValue":"a2V5","rpId":"mail.example","userName":"jane"}]}},
      {"id":"i2","type":3,"name":"Card","card":{"number":"4111"}}]}
      """)
  }

  private static func keePass(in machine: Machine) throws -> String {
    try machine.directory.write(
      "keepass.xml",
      """
      <KeePassFile><Meta><Binaries><Binary ID="0">AP8K</Binary></Binaries></Meta><Root><Group><Name>R</Name><Entry>
      <UUID>AAAA</UUID><Tags>t</Tags><String><Key>Title</Key><Value>Safe</Value></String><String><Key>Password</Key><Value>9
      </Value></String><Binary><Key>f.bin</Key><Value Ref="0"/></Binary><History><Entry><String><Key>Password</Key>
      <Value>8</Value></String></Entry></History></Entry></Group></Root></KeePassFile>
      """)
  }

  private func imported(_ format: String, _ path: String) throws -> String {
    let second = try Machine()
    let report = try second.imported(format, path)
    #expect(report.skipped.isEmpty, "\(report.skipped)")
    return try second.exportedJSON()
  }

  @Test(arguments: ["json", "cxf"])
  func `What an export has is the same in an empty vault`(format: String) throws {
    let path = machine.directory.path("items.\(format)")
    try machine.coffer("export", format, path, "--yes")
    #expect(try imported(format, path) == machine.exportedJSON())
    #expect(try machine.imported(format, path).newCount == 0)
  }

  @Test func `The exchange format has passwords, codes, notes, passkeys and fields where other programs look for them`()
    throws
  {
    let path = machine.directory.path("items.cxf")
    try machine.coffer("export", "cxf", path, "--yes")
    let file = try #require(
      JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: path))) as? [String: Any])
    let account = try #require((file["accounts"] as? [[String: Any]])?.first)
    let items = try #require(account["items"] as? [[String: Any]])
    let mail = try #require(items.first { $0["title"] as? String == "Mail" })
    let credentials = try #require(mail["credentials"] as? [[String: Any]])
    #expect(
      credentials.compactMap { $0["type"] as? String } == ["basic-auth", "note", "totp", "passkey", "custom-fields"])
    #expect((credentials[0]["password"] as? [String: Any])?["value"] as? String == "p\0\nq")
    #expect(credentials[2]["secret"] as? String == "JBSWY3DP" && credentials[3]["key"] as? String == "a2V5")
    #expect((mail["scope"] as? [String: Any])?["urls"] as? [String] == ["https://mail.example/in"])
    #expect(mail["creationAt"] as? Int == 1_577_934_245)
    #expect(items.allSatisfy { ($0["id"] as? String)?.isEmpty == false })
  }

  @Test func `CSV has the passwords, and imports them again`() throws {
    let path = machine.directory.path("items.csv")
    let said = try machine.coffer("export", "csv", path, "--yes")
    #expect(said.contains("skipped: mail.example:details, jane@mail, Mail"), "\(said)")
    #expect(said.contains("skipped: github.com, jane, A \"label\": CSV has no column for its label;"), "\(said)")
    let second = try Machine()
    _ = try second.imported("csv", path)
    #expect(try second.value("github.com", "jane") == Array("s3cret,\"x\"\n".utf8))
    #expect(try second.value("bytes") == [0xff, 0, 10, 0xfe])
    #expect(try second.value("mail.example", "jane@mail") == Array("p\0\nq".utf8))
    #expect(try second.value("mail.example:notes", "jane@mail") == Array("line 1\nline 2".utf8))
  }

  @Test func `An entry without a password keeps its user name in CSV and in the exchange format`() throws {
    let entry = [("Title", "Door"), ("UserName", "jane"), ("Notes", "1234")]
      .map { "<String><Key>\($0.0)</Key><Value>\($0.1)</Value></String>" }.joined()
    let xml = "<KeePassFile><Root><Group><Entry>\(entry)</Entry></Group></Root></KeePassFile>"
    _ = try machine.imported("keepassxc", machine.directory.write("door.xml", xml))
    let (csv, cxf) = (machine.directory.path("items.csv"), machine.directory.path("items.cxf"))
    try machine.coffer("export", "csv", csv, "--yes")
    let rows = String(decoding: try Data(contentsOf: URL(filePath: csv)), as: UTF8.self)
    #expect(rows.contains("Door,,jane,,1234,"))
    try machine.coffer("export", "cxf", cxf, "--yes")
    let file = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: cxf))) as? [String: Any])
    let items = (file["accounts"] as? [[String: Any]])?.first?["items"] as? [[String: Any]]
    let door = try #require(items?.first { $0["title"] as? String == "Door" }?["credentials"] as? [[String: Any]])
    #expect((door.first?["username"] as? [String: Any])?["value"] as? String == "jane" && door[0]["password"] == nil)
    #expect(try imported("cxf", cxf) == machine.exportedJSON())
  }

  @Test func `An export that lacks a damaged item has the others, names it, and ends with 6`() throws {
    let damaged = try Machine()
    for service in ["first", "second"] { try damaged.coffer("set", service, input: "value of \(service)") }
    try Command.run(
      "sqlite3", damaged.vault.appending(path: "store.sqlite").path,
      """
      UPDATE record SET signed = zeroblob(length(signed))
      WHERE signed = (SELECT max(signed) FROM record WHERE tombstone = 0 AND head = 1)
      """)
    let path = damaged.directory.path("items.json")
    for options in [["--yes"], ["--yes", "--json"]] {
      let outcome = try damaged.start("coffer", ["export", "json", path] + options).wait()
      #expect(outcome.exitCode == 6 && outcome.text.contains("it is damaged"), "\(outcome)")
      let text = try String(contentsOfFile: path, encoding: .utf8)
      #expect(text.contains("value of first") != text.contains("value of second"), "\(text)")
    }
  }

  @Test func `A path without a slash does not change the host of an exported address`() throws {
    let own = try machine.directory.write(
      "own.json",
      """
      {"format":"coffer-export","version":1,"items":[{"class":"internet-password","value":"v","attributes":{"acct":"j",
      "srvr":"a.example","ptcl":"htps","port":8443,"path":"x.evil"}}]}
      """)
    _ = try machine.imported("json", own)
    let path = machine.directory.path("items.csv")
    try machine.coffer("export", "csv", path, "--yes")
    // Other items of the vault have values that are not UTF-8.
    let text = String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
    #expect(text.contains(",https://a.example:8443/x.evil,j,v,"))
  }

  @Test func `A file of secrets is its user's only, asked about first, and never written to a terminal or over a link`()
    throws
  {
    let path = machine.directory.path("items.json")
    let unasked = try machine.run("coffer", "export", "json", path)
    #expect(unasked.exitCode != 0 && unasked.errors.contains("--yes") && !FileManager.default.fileExists(atPath: path))
    try machine.coffer("export", "json", path, "--yes")
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    for target in ["-", "/dev/stdout", "/dev/tty", machine.directory.path] {
      let refused = try machine.run("coffer", "export", "json", target, "--yes")
      #expect(refused.exitCode == 2 && refused.output.isEmpty, "\(target): \(refused)")
    }
    let link = machine.directory.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: machine.directory.path("victim"))
    #expect(try machine.run("coffer", "export", "json", link, "--yes").exitCode == 2)
    let terminal = try PseudoTerminal(machine, "export", "json", machine.directory.path("asked.json"))
    try terminal.await("Go on? [y/N] ")
    terminal.type("n\n")
    #expect(terminal.wait() != 0 && !FileManager.default.fileExists(atPath: machine.directory.path("asked.json")))
  }
}
