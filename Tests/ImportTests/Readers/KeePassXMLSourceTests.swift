import CofferImport
import CofferSystem
import CofferTestSupport
import Foundation
import Testing

@Suite struct KeePassXMLSourceTests {
  @Test func `An entry that repeats an attachment keeps a thousand, and the rest is named`() throws {
    let references = String(repeating: #"<Binary><Key>f</Key><Value Ref="0"/></Binary>"#, count: 1_001)
    let lines = try ReadLines.read(
      """
      <KeePassFile><Meta><Binaries><Binary ID="0">QQ==</Binary></Binaries></Meta><Root><Group><Name>R</Name><Entry>
      <String><Key>Title</Key><Value>x</Value></String>\(references)</Entry></Group></Root></KeePassFile>
      """
    ) { KeePassXMLSource($0) }
    #expect(lines.items.count { $0.text("labl") == "f" } == 1_000)
    #expect(lines.skipped.map(\.name) == ["x: f"])
  }

  private static func entry(_ identifier: String, _ fields: [(String, String)], _ rest: String = "") -> String {
    let strings = fields.map { "<String><Key>\($0.0)</Key><Value>\($0.1)</Value></String>" }.joined()
    return "<Entry><UUID>\(identifier)</UUID>\(strings)\(rest)</Entry>"
  }

  private func items(of entries: String..., binaries: String = "") throws -> ReadLines {
    try read(
      """
      <KeePassFile><Meta><Binaries>\(binaries)</Binaries></Meta><Root><Group><Name>R</Name>\(entries.joined())</Group></Root>
      </KeePassFile>
      """)
  }

  @Test func `A reference becomes the value of the entry that it names, also through another one`() throws {
    // 00112233445566778899AABBCCDDEEFF
    let mail = "ABEiM0RVZneImaq7zN3u/w=="
    let lines = try items(
      of: Self.entry(
        "AA==",
        [
          ("Title", "x"), ("UserName", "{ref:u@i:00112233445566778899aabbccddeeff}"),
          ("Password", "a{REF:P@T:Proxy}b"), ("Note on {", "{REF:T@O:blue}"),
        ]), Self.entry("AQ==", [("Title", "Proxy"), ("Password", "{REF:P@I:00112233445566778899AABBCCDDEEFF}")]),
      Self.entry(mail, [("Title", "Mail"), ("UserName", "jane"), ("Password", "s{3}"), ("Colour", "blue")]))
    let items = lines.items.filter { $0.itemClass == "generic-password" && $0.text("svce") == "x" }
    #expect(items.map(\.value) == ["as{3}b"] && items.first?.text("acct") == "jane")
    let details = try #require(lines.details("jane:details"))
    #expect(details["fields"]?.elements.first?["value"] == "Mail")
    #expect(details["extra"]?["references"]?["Password"] == "a{REF:P@T:Proxy}b")
    #expect(lines.skipped.isEmpty)
  }

  @Test func `A reference to nothing, to itself, or to more than a text can have is imported as it is, and named`()
    throws
  {
    let loop = Self.entry("AQ==", [("Title", "loop"), ("Password", "{REF:P@T:loop}")])
    let bomb = (0..<9).map { level in
      Self.entry(
        "", [("Title", "b\(level)"), ("Password", String(repeating: "{REF:P@T:b\(level + 1)}", count: 500))])
    }.joined()
    let lines = try items(
      of: Self.entry("AA==", [("Title", "x"), ("Password", "{REF:P@I:00}")]), loop, bomb,
      Self.entry("", [("Title", "b9"), ("Password", "")]))
    #expect(lines.items.first?.value == "{REF:P@I:00}" && lines.items.dropFirst().first?.value == "{REF:P@T:loop}")
    #expect(lines.skipped.map(\.name).prefix(3) == ["x: Password", "loop: Password", "b0: Password"])
  }

  @Test func `Attachments of earlier versions are kept once each, and a version says which it had`() throws {
    func version(_ time: String, _ reference: Int) -> String {
      """
      <Entry><Times><LastModificationTime>\(time)</LastModificationTime></Times><Binary><Key>f</Key>
      <Value Ref="\(reference)"/></Binary></Entry>
      """
    }
    let lines = try items(
      of: Self.entry(
        "AA==", [("Title", "x"), ("Password", "p")],
        #"<Binary><Key>f</Key><Value Ref="1"/></Binary><History>"# + version("2019", 0) + version("2020", 0)
          + version("2021", 1) + version("2022", 7) + "</History>"),
      binaries: #"<Binary ID="0">QQ==</Binary><Binary ID="1">Qg==</Binary>"#)
    let files = lines.items.filter { $0.text("desc") == "attachment" }
    #expect(files.map { $0.text("labl") } == ["f", "f (2019)"] && files.map(\.value) == ["B", "A"])
    let history = try #require(lines.details(":details")?["history"]?.elements)
    #expect(history.map { $0["attachments"]?["f"] } == ["f (2019)", "f (2019)", "f", nil])
    #expect(lines.skipped.map(\.name) == ["x: f (2022)"])
  }

  @Test(arguments: [
    ([("-Base32", "jbsw y3dp")], "secret=jbswy3dp"), ([("", "12345")], "secret=GEZDGNBV"),
    ([("-Hex", "48656c6c6f21DEADBEEF")], "secret=JBSWY3DPEHPK3PXP"),
    ([("-Base64", "SGVsbG8h3q2+7w==")], "secret=JBSWY3DPEHPK3PXP"),
  ])
  func `The fields of KeePass 2 for one-time codes become the address of the codes`(
    secret: [(String, String)], expected: String
  ) throws {
    let fields = secret.map { ("TimeOtp-Secret\($0.0)", $0.1) }
    let others = [("TimeOtp-Length", "8"), ("TimeOtp-Algorithm", "HMAC-SHA-256"), ("TimeOtp-Period", "60")]
    let lines = try items(of: Self.entry("AA==", [("Title", "x"), ("UserName", "jane")] + fields + others))
    #expect(
      lines["jane:otp"]?.value == "otpauth://totp/x?\(expected)&algorithm=SHA256&digits=8&period=60"
        && lines["jane:details"] == nil)
    // What it does not say in these words stays as it is.
    let unknown = try items(
      of: Self.entry("AA==", [("Title", "x"), ("UserName", "jane")] + fields + [("TimeOtp-Algorithm", "MD5")]))
    #expect(unknown["jane:otp"] == nil && unknown.details("jane:details")?["fields"]?.elements.count == 2)
  }

  @Test func `A database in place of its export is named, with the command that exports it`() {
    let database: [UInt8] = [0x03, 0xd9, 0xa2, 0x9a, 0x67, 0xfb, 0x4b, 0xb5, 1, 0, 4, 0]
    #expect(refusal(database) { KeePassXMLSource($0) }.contains("keepassxc-cli export --format xml"))
  }

  @Test func `Of two fields named alike in an earlier version, both are kept`() throws {
    let past = "<History>" + Self.entry("", [("PIN", "1"), ("PIN", "2"), ("Password", "old")]) + "</History>"
    let lines = try items(of: Self.entry("AA==", [("Title", "x"), ("UserName", "jane"), ("Password", "p")], past))
    let strings = try #require(lines.details("jane:details")?["history"]?.elements.first?["strings"])
    #expect(strings["PIN"]?.elements.map(\.text) == ["1", "2"] && strings["Password"]?.text == "old")
  }

  @Test func `A slash in a group's name is not a level of groups`() throws {
    let lines = try ReadLines.read(
      """
      <KeePassFile><Root><Group><Name>R</Name><Group><Name>A/100%</Name><Entry><String><Key>Title</Key><Value>x</Value>
      </String></Entry></Group></Group></Root></KeePassFile>
      """
    ) { KeePassXMLSource($0) }
    #expect(lines.items.map(\.folder) == ["A%2F100%25"])
  }

  /// An export of KeePassXC 2.7 with every field.
  private static let document = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <KeePassFile><Meta><Generator>KeePassXC</Generator><RecycleBinUUID>YmluYmluYmluYmluYmluYg==</RecycleBinUUID><Binaries>
    <Binary ID="0" Compressed="True">H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA==</Binary><Binary ID="1">AP8=</Binary></Binaries></Meta>
    <Root><Group><UUID>cm9vdA==</UUID><Name>Root</Name><Group><UUID>bWFpbA==</UUID><Name>Mail</Name><Notes>x</Notes><Entry>
    <UUID>ZW50cnk=</UUID><IconID>7</IconID><Tags>work;home</Tags><ForegroundColor>#FF0000</ForegroundColor>
    <Times><LastModificationTime>2020-01-02T03:04:06Z</LastModificationTime><CreationTime>2020-01-02T03:04:05Z</CreationTime>
    <ExpiryTime>2030-01-01T00:00:00Z</ExpiryTime><Expires>True</Expires></Times>
    <String><Key>Title</Key><Value>Mail &amp; more</Value></String><String><Key>UserName</Key><Value>jane</Value></String>
    <String><Key>Password</Key><Value ProtectInMemory="True">p&lt;1&#10;2</Value></String>
    <String><Key>URL</Key><Value>https://mail.example/in?box=1</Value></String>
    <String><Key>KP2A_URL</Key><Value>https://other.example</Value></String><String><Key>Notes</Key><Value>a
    b</Value></String><String><Key>otp</Key><Value ProtectInMemory="True">otpauth://totp/x?secret=AA</Value></String>
    <String><Key>PIN</Key><Value ProtectInMemory="True">1234</Value></String><String><Key>Site</Key><Value>B</Value></String>
    <String><Key>KPEX_PASSKEY_CREDENTIAL_ID</Key><Value>Y3Jl</Value></String>
    <String><Key>KPEX_PASSKEY_PRIVATE_KEY_PEM</Key><Value>-----BEGIN PRIVATE KEY-----
    AA+/
    -----END PRIVATE KEY-----</Value></String><Binary><Key>hello.txt</Key><Value Ref="0"/></Binary>
    <Binary><Key>bytes</Key><Value Ref="1"/></Binary><Binary><Key>gone</Key><Value Ref="9"/></Binary>
    <AutoType><Enabled>True</Enabled><Association><Window>W</Window><KeystrokeSequence>{USERNAME}</KeystrokeSequence>
    </Association></AutoType><CustomData><Item><Key>k</Key><Value>v</Value></Item></CustomData><History><Entry>
    <UUID>ZW50cnk=</UUID><Times><LastModificationTime>2019-01-01T00:00:00Z</LastModificationTime></Times>
    <String><Key>Password</Key><Value>old</Value></String></Entry></History></Entry></Group>
    <Group><UUID>YmluYmluYmluYmluYmluYg==</UUID><Name>Recycle Bin</Name><Entry><UUID>ZGVs</UUID>
    <String><Key>Title</Key><Value>deleted</Value></String></Entry></Group></Group></Root></KeePassFile>
    """

  private func read(_ text: String) throws -> ReadLines { try ReadLines.read(text) { KeePassXMLSource($0) } }

  @Test func `Every field of an entry is kept`() throws {
    let lines = try read(Self.document)
    let login = try #require(lines["jane"])
    #expect(login.itemClass == "internet-password" && login.value == "p<1\n2" && login.text("labl") == "Mail & more")
    #expect(login.text("srvr") == "mail.example" && login.text("path") == "/in" && login.folder == "Mail")
    let origin = try #require(login.origin)
    #expect(origin.entry == "ZW50cnk=" && origin.tags == ["work", "home"] && origin.folder == "Mail")
    #expect(origin.created == "2020-01-02T03:04:05Z" && origin.modified == "2020-01-02T03:04:06Z")
    #expect(lines["jane:notes"]?.value == "a\nb" && lines["jane:otp"]?.value == "otpauth://totp/x?secret=AA")
    #expect(lines["jane:hello.txt"]?.value == "hello" && lines["jane:bytes"]?.bytes == [0, 255])
    let details = try #require(lines.details("jane:details"))
    #expect(details["urls"] == .array([.string("https://mail.example/in?box=1"), .string("https://other.example")]))
    #expect(details["fields"]?.elements.first == .object(["name": "PIN", "value": "1234", "isProtected": .bool(true)]))
    #expect(details["fields"]?.elements.last == .object(["name": "Site", "value": "B"]))
    #expect(details["history"]?.elements.first?["strings"]?["Password"] == "old")
    #expect(details["history"]?.elements.first?["modified"] == "2019-01-01T00:00:00Z")
    let passkey = try #require(details["credentials"]?.elements.first)
    #expect(passkey["type"] == "passkey" && passkey["credentialId"] == "Y3Jl" && passkey["key"] == "AA-_")
    let extra = try #require(details["extra"])
    #expect(extra["expires"] == "2030-01-01T00:00:00Z" && extra["IconID"] == "7" && extra["CustomData"]?["k"] == "v")
    #expect(extra["AutoType"]?.elements.first?["Window"] == "W" && extra["ForegroundColor"] == "#FF0000")
    #expect(lines.skipped.map(\.name) == ["Mail/Mail & more: gone", "Recycle Bin/deleted"])
  }

  @Test func `A document type is refused before its entities expand`() {
    let entities = (1...30).map { "<!ENTITY e\($0) \"&e\($0 - 1);&e\($0 - 1);\">" }.joined()
    let bomb = "<!DOCTYPE a [<!ENTITY e0 \"x\">\(entities)]><KeePassFile><Root>&e30;</Root></KeePassFile>"
    #expect(refusal(bomb) { KeePassXMLSource($0) }.contains("document type"))
    #expect(
      refusal("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><KeePassFile/>") { KeePassXMLSource($0) }
        .contains("document type"))
  }

  @Test func `A packed attachment that grows beyond the limit is skipped, and one of the limit is whole`() throws {
    let limit = 16 << 20
    for (count, isWhole) in [(limit, true), (limit + 1, false)] {
      let packed = try Command.run("/bin/sh", "-c", "head -c \(count) /dev/zero | gzip -9 | base64 -w 0")
      let lines = try read(
        """
        <KeePassFile><Meta><Binaries><Binary ID="0" Compressed="True">\(packed)</Binary></Binaries></Meta><Root><Group>
        <Name>R</Name><Entry><String><Key>Title</Key><Value>x</Value></String><Binary><Key>f</Key><Value Ref="0"/></Binary>
        </Entry></Group></Root></KeePassFile>
        """)
      #expect(lines.items.first { $0.text("labl") == "f" }?.bytes.count == (isWhole ? count : nil))
      #expect(lines.skipped.map(\.name) == (isWhole ? [] : ["x: f"]))
    }
  }

  @Test func `A document that is cut off, too deep or another one is refused`() {
    #expect(refusal("<KeePassFile><Root>") { KeePassXMLSource($0) }.contains("well-formed"))
    #expect(refusal(String(repeating: "<a>", count: 300)) { KeePassXMLSource($0) }.contains("256 levels"))
    #expect(refusal("<opml/>") { KeePassXMLSource($0) }.contains("KeePassFile/Root is missing"))
  }

  @Test func `The notes of a group become those of an entry with its name, but not in the recycle bin`() throws {
    let lines = try read(
      """
      <KeePassFile><Meta><RecycleBinUUID>Bg==</RecycleBinUUID></Meta><Root><Group><Name>R</Name><Notes/><Group>
      <UUID>BQ==</UUID><Name>Mail</Name><Notes>the door: 1234</Notes>\(Self.entry("AA==", [("Password", "p")]))</Group>
      <Group><UUID>Bg==</UUID><Name>Bin</Name><Notes>old</Notes></Group></Group></Root></KeePassFile>
      """)
    let note = try #require(lines.items.first)
    #expect(lines.items.count == 2 && note.text("svce") == "Mail:notes" && note.value == "the door: 1234")
    #expect(note.folder == "Mail" && note.origin?.entry == "BQ==")
    #expect(lines.skipped.map(\.name) == ["Bin/Bin"])
  }

  @Test func `Values that are still encrypted are skipped`() throws {
    let lines = try read(
      """
      <KeePassFile><Root><Group><Name>R</Name><Entry><UUID>AA==</UUID><String><Key>Password</Key>
      <Value Protected="True">c2VjcmV0</Value></String></Entry></Group></Root></KeePassFile>
      """)
    #expect(lines.items.isEmpty && lines.skipped.first?.skipped?.contains("encrypted") == true)
  }
}

extension JSONValue: ExpressibleByStringLiteral {
  /// Creates a text.
  public init(stringLiteral text: String) { self = .string(text) }
}
