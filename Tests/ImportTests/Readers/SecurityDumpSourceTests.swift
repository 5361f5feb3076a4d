import CofferImport
import CofferSystem
import Testing

@Suite struct SecurityDumpSourceTests {
  private static let dump = """
    keychain: "/Users/jane/Library/Keychains/login.keychain-db"
    version: 512
    class: "genp"
    attributes:
        0x00000007 <blob>="My label"
        0x00000008 <blob>=<NULL>
        "acct"<blob>="jane \\"quoted\\" = <x>"
        "cdat"<timedate>=0x32303230303130323033303430355A00  "20200102030405Z\\000"
        "crtr"<uint32>="aapl"
        "desc"<blob>="kind"
        "gena"<blob>=0x00FF  "\\000\\377"
        "icmt"<blob>=<NULL>
        "invi"<sint32>=0x00000001
        "mdat"<timedate>=0x32303230303130323033303430365A00  "20200102030406Z\\000"
        "svce"<blob>="service"
    data:
    "pass"word"
    class: "inet"
    attributes:
        "acct"<blob>="jane"
        "atyp"<blob>="form"
        "icmt"<blob>="own comment"
        "path"<blob>="/x"
        "port"<uint32>=0x000001BB
        "ptcl"<uint32>="htps"
        "sdmn"<blob>=0xC3A9  "\\303\\251"
        "srvr"<blob>="a.example"
    data:
    0x6C696E650A00FF  "line\\012\\000\\377"
    class: "genp"
    attributes:
        "svce"<blob>="no value"
    class: 0x00000010
    attributes:
        0x00000001 <blob>="private key"
    """

  @Test func `Passwords keep all attributes, and what has no value or another class is named`() throws {
    let lines = try ReadLines.read(Self.dump) { SecurityDumpSource($0) }
    #expect(lines.items.count == 2)
    let generic = lines.items[0]
    #expect(generic.itemClass == "generic-password" && generic.value == "pass\"word")
    #expect(generic.text("acct") == "jane \\\"quoted\\\" = <x>" && generic.text("labl") == "My label")
    #expect(generic.text("svce") == "service" && generic.text("desc") == "kind")
    #expect(generic.attributes?["gena"] == .data([0, 255]) && generic.attributes?["crtr"] == .number(0x6161_706c))
    #expect(generic.attributes?["invi"] == .number(1) && generic.origin?.created == "2020-01-02T03:04:05Z")
    let internet = lines.items[1]
    #expect(internet.itemClass == "internet-password" && internet.bytes == Array("line\n\0".utf8) + [255])
    #expect(internet.text("ptcl") == "htps" && internet.attributes?["port"] == .number(443))
    #expect(internet.text("sdmn") == "é" && internet.text("icmt") == "own comment" && internet.text("atyp") == "form")
    #expect(lines.skipped.map(\.name) == ["no value", "line 33"])
    #expect(lines.skipped.map { $0.skipped?.contains("-d") } == [true, false])
  }

  @Test func `A text that is no such output is refused`() {
    #expect(refusal("hello\n") { SecurityDumpSource($0) }.contains("security dump-keychain"))
  }
}
