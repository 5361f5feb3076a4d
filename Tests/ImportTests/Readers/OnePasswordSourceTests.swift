import CofferImport
import CofferSystem
import CofferTestSupport
import Foundation
import Testing

@Suite struct OnePasswordSourceTests {
  private static let export = """
    {"accounts":[{"attrs":{"accountName":"A"},"vaults":[{"attrs":{"uuid":"v","name":"Personal"},"items":[{"uuid":"i1","favIndex":1,
    "createdAt":1577934245,"updatedAt":1577934246,"state":"archived","categoryUuid":"001","details":{"loginFields":[
    {"value":"jane","designation":"username","fieldType":"T"},{"value":"p","designation":"password","fieldType":"P"},
    {"value":"x","name":"extra","fieldType":"P"}],"notesPlain":"n","sections":[{"title":"More","name":"s","fields":[
    {"title":"code","id":"c","value":{"totp":"otpauth://totp/x?secret=AA"}},{"title":"pin","value":{"concealed":"1234"}},
    {"title":"born","value":{"date":1577934245}},{"title":"scan","value":{"file":{"fileName":"scan.bin","documentId":"d1",
    "decryptedSize":3}}}]}],"passwordHistory":[{"value":"old","time":1}]},"overview":{"title":"Mail","url":"https://mail.example",
    "urls":[{"label":"website","url":"https://mail.example"},{"label":"b","url":"https://b.example"}],"tags":["t"]}},
    {"uuid":"i2","state":"active","categoryUuid":"006","details":{"documentAttributes":{"fileName":"doc","documentId":"gone"}},
    "overview":{"title":"Document"}}]}]}]}
    """

  /// Makes an archive with Python, as 1Password does with its own library.
  private func archive(_ code: String, export: String = export) throws -> [UInt8] {
    let folder = try TemporaryDirectory()
    try folder.write("export.data", export)
    let script = "import sys, zipfile\nz = zipfile.ZipFile(sys.argv[2], 'w', zipfile.ZIP_DEFLATED)\n\(code)\nz.close()"
    try Command.run("python3", "-c", script, folder.path, folder.path("a.1pux"))
    return [UInt8](try Data(contentsOf: URL(filePath: folder.path("a.1pux"))))
  }

  private static let whole = """
    z.write(sys.argv[1] + '/export.data', 'export.data')
    z.writestr('files/d1__scan.bin', bytes([0, 255, 10]), zipfile.ZIP_STORED)
    """

  @Test func `Every field and every file is kept, and a missing file is named`() throws {
    let lines = try ReadLines.read(OnePasswordSource(.bytes(archive(Self.whole))))
    let login = try #require(lines["jane"])
    #expect(login.value == "p" && login.text("srvr") == "mail.example" && login.folder == "Personal")
    #expect(login.origin?.created == "2020-01-02T03:04:05Z" && login.origin?.tags == ["t"])
    #expect(lines["jane:notes"]?.value == "n" && lines["jane:otp"]?.value == "otpauth://totp/x?secret=AA")
    #expect(lines["jane:scan.bin"]?.bytes == [0, 255, 10])
    let details = try #require(lines.details("jane:details"))
    #expect(details["fields"]?.elements.map { $0["name"]?.text } == ["extra", "More/pin", "More/born (date)"])
    #expect(details["fields"]?.elements.map { $0["value"]?.text } == ["x", "1234", "1577934245"])
    #expect(details["history"]?.elements.first?["value"] == "old")
    #expect(details["extra"]?["state"] == "archived" && details["extra"]?["favIndex"] == .integer(1))
    #expect(details["urls"]?.elements.count == 2)
    #expect(lines.skipped.map(\.name) == ["Personal/Document: doc"])
  }

  @Test func `The older form, in which each item has a wrapper, is read, and what is no item is named`() throws {
    let export = """
      {"accounts":[{"vaults":[{"attrs":{"name":"V"},"items":[
      {"item":{"uuid":"1","trashed":false,"categoryUuid":"001","details":{"loginFields":[
      {"value":"jane","designation":"username"},{"value":"p","designation":"password"}]},"overview":{"title":"Mail"}}},
      {"item":{"uuid":"2","trashed":true,"categoryUuid":"005","details":{"password":"only"},"overview":{"title":"Pin"}}},
      {"file":{"attrs":{"uuid":"f","name":"scan.bin"},"path":"files/f___scan.bin"}},{"other":1}]}]}]}
      """
    let lines = try ReadLines.read(OnePasswordSource(.bytes(archive("\(Self.whole)", export: export))))
    #expect(lines["jane"]?.value == "p" && lines["jane:details"] == nil)
    #expect(lines[""]?.value == "only" && lines[""]?.text("svce") == "Pin")
    #expect(lines.details(":details")?["extra"]?["trashed"] == .bool(true))
    #expect(lines.skipped.map(\.name) == ["V/scan.bin", "V/item 4"])
  }

  @Test func `A seed alone becomes the address of its codes, and another text stays a field`() throws {
    let export = """
      {"accounts":[{"vaults":[{"items":[{"uuid":"1","details":{"sections":[{"fields":[
      {"title":"a","value":{"totp":"no seed!"}},{"title":"b","value":{"totp":"jbsw-y3dp ehpk 3pxp"}},
      {"title":"c","value":{"totp":"JBSWY3DP"}}]}]},"overview":{"title":"My Mail"}}]}]}]}
      """
    let lines = try ReadLines.read(OnePasswordSource(.bytes(archive(Self.whole, export: export))))
    #expect(lines[":otp"]?.value == "otpauth://totp/My%20Mail?secret=jbswy3dpehpk3pxp")
    #expect(lines.details(":details")?["fields"]?.elements.map { $0["value"]?.text } == ["no seed!", "JBSWY3DP"])
  }

  @Test func `A file with a wrong checksum is named and not imported`() throws {
    var bytes = try archive(Self.whole)
    let place = try #require(bytes.firstRange(of: Array("scan.bin".utf8) + [0, 255, 10]))
    bytes[place.upperBound - 1] = 11
    let lines = try ReadLines.read(OnePasswordSource(.bytes(bytes)))
    #expect(lines["jane:scan.bin"] == nil)
    #expect(lines.skipped.map(\.name) == ["Personal/Mail: scan.bin", "Personal/Document: doc"])
  }

  @Test func `An archive that unpacks to more than it says is refused`() throws {
    let bomb = try archive("z.writestr('export.data', b' ' * 300_000_000)")
    #expect(bomb.count < 1_000_000)
    #expect(refusal(bomb) { OnePasswordSource($0) }.contains("damaged or too large"))
    // The directory says 10 bytes.
    var lie = try archive("z.writestr('export.data', b' ' * 2_000_000)")
    let entry = try #require(lie.firstRange(of: [0x50, 0x4b, 1, 2]))
    lie.replaceSubrange((entry.lowerBound + 24)..<(entry.lowerBound + 28), with: [10, 0, 0, 0])
    #expect(refusal(lie) { OnePasswordSource($0) }.contains("damaged or too large"))
    // The directory says 3 GB.
    lie.replaceSubrange((entry.lowerBound + 24)..<(entry.lowerBound + 28), with: [0, 0, 0, 0xb0])
    #expect(refusal(lie) { OnePasswordSource($0) }.contains("contradict"))
  }

  @Test(arguments: ["../../etc/cron.d/x", "/etc/passwd", "a/../../b"])
  func `A name that leads out of the archive is refused`(name: String) throws {
    let bytes = try archive("\(Self.whole)\nz.writestr('\(name)', b'x')")
    #expect(refusal(bytes) { OnePasswordSource($0) }.contains("leads out of the archive"))
  }

  @Test func `A file that is no archive, cut off or without export.data is refused`() throws {
    #expect(refusal("PK") { OnePasswordSource($0) }.contains("its end is missing"))
    let bytes = try archive(Self.whole)
    #expect(refusal(bytes.dropLast(5) + []) { OnePasswordSource($0) }.contains("its end is missing"))
    #expect(refusal(try archive("z.writestr('x', b'')")) { OnePasswordSource($0) }.contains("export.data is missing"))
  }
}
