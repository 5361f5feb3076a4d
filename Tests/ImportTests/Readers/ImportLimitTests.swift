import CofferImport
import CofferSystem
import CofferTestSupport
import Foundation
import Testing

/// Exports of some hundred kilobytes that name the same contents again and again. Each would take minutes or gigabytes.
@Suite struct ImportLimitTests {
  private static func entry(_ number: Int, _ notes: String, _ more: String = "") -> String {
    let texts = [("Title", "e\(number)"), ("Notes", notes)].map {
      "<String><Key>\($0)</Key><Value>\($1)</Value></String>"
    }
    return "<Entry>\(texts.joined())\(more)</Entry>"
  }

  private static func database(_ entries: [String], _ meta: String = "") -> String {
    "<KeePassFile>\(meta)<Root><Group><Name>r</Name>\(entries.joined())</Group></Root></KeePassFile>"
  }

  private static func collections(_ depth: Int, _ inner: String) -> String {
    String(repeating: #"{"title":"t","subCollections":["#, count: depth) + inner + String(repeating: "]}", count: depth)
  }

  @Test func `References of KeePassXC that lead to other references are limited for the whole file`() {
    let references = { (title: String) in String(repeating: "{REF:N@T:\(title)}", count: 97) }
    let entries =
      [Self.entry(0, ""), Self.entry(1, references("e0")), Self.entry(2, references("e1"))]
      + (3..<1_500).map { Self.entry($0, "{REF:N@T:e2}") }
    #expect(refusal(Self.database(entries)) { KeePassXMLSource($0) }.contains("lead to more than 67.1 MB"))
  }

  @Test func `A text of KeePassXC with many references that do not end is read once`() throws {
    let notes = String(repeating: "{REF:N@T:", count: 1_000_000)
    let lines = try ReadLines.read(Self.database([Self.entry(0, notes)])) { KeePassXMLSource($0) }
    #expect(lines.items.map(\.bytes.count) == [notes.utf8.count])
  }

  @Test func `A text that every entry has, and a name of every column, are limited for the whole file`() {
    let words = "are more than 32 times as large as the file"
    let texts =
      [Self.entry(0, String(repeating: "x", count: 60_000))] + (1..<1_500).map { Self.entry($0, "{REF:N@T:e0}") }
    #expect(refusal(Self.database(texts)) { KeePassXMLSource($0) }.contains("lead to more than 67.1 MB"))
    let header = (0..<200).map { "\(String(repeating: "n", count: 2_000))\($0)" }.joined(separator: ",")
    let row = String(repeating: "1,", count: 200) + "u,p\n"
    let table = "\(header),username,password\n" + String(repeating: row, count: 1_000)
    #expect(refusal(table) { CSVSource($0) }.contains(words))
  }

  /// Verifies that a source has the contents of some attachments, and names those that exceed the limit of its file.
  private func expectLimited(_ source: any EntrySource, fileByteCount: Int, whole: Int) throws {
    let lines = try ReadLines.read(source)
    let byteCount = lines.items.reduce(0) { $0 + $1.bytes.count }
    #expect((1...((64 << 20) + 32 * fileByteCount)).contains(byteCount), "\(byteCount)")
    #expect(lines.items.count { $0.bytes.count > 1_000 } + lines.skipped.count == whole)
    #expect(lines.skipped.count > whole / 2)
  }

  @Test func `An attachment of KeePassXC that every entry has is kept within the limit of the file, and then named`()
    throws
  {
    let binary = Data(repeating: 65, count: 60_000).base64EncodedString()
    let attached = String(repeating: #"<Binary><Key>k</Key><Value Ref="0"/></Binary>"#, count: 200)
    let file = Self.database(
      (0..<20).map { Self.entry($0, "", attached) },
      "<Meta><Binaries><Binary ID=\"0\">\(binary)</Binary></Binaries></Meta>")
    try expectLimited(
      KeePassXMLSource(.bytes(Array(file.utf8))), fileByteCount: file.utf8.count, whole: 4_000)
  }

  @Test func `Items that are in thousands of nested collections are limited for the whole file`() {
    let links =
      #"{"title":"z","items":["# + Array(repeating: #"{"item":"I"}"#, count: 15_000).joined(separator: ",") + "]}"
    let file = """
      {"version":{"major":1},"accounts":[{"collections":[\(Self.collections(240, links))],
      "items":[{"id":"I","title":"T"}]}]}
      """
    #expect(refusal(file) { CredentialExchangeSource($0) }.contains("16.8 MB of names"))
  }

  @Test(.inFullRun)
  func `A million values below 500 levels are imported as they are, at the cost of their text`() throws {
    let deep =
      String(repeating: "[", count: 500) + String(repeating: "1,", count: 1_000_000) + "1"
      + String(repeating: "]", count: 500)
    let lines = try ReadLines.read(
      #"{"items":[{"type":1,"name":"a","login":{"username":"jane","password":"p"},"x":\#(deep)}]}"#
    ) {
      BitwardenSource($0) { [] }
    }
    #expect(lines["jane"]?.value == "p" && lines["jane:details"]?.bytes.count ?? 0 > 2_000_000)
  }

  @Test func `An archive of 1Password whose text packs a thousand to one is refused before it is unpacked`() throws {
    let folder = try TemporaryDirectory()
    let script = """
      import sys, zipfile
      z = zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED, compresslevel=9)
      z.writestr('export.data', '{"accounts":[' + '1,' * 30_000_000 + '1]}')
      z.close()
      """
    try Command.run("python3", "-c", script, folder.path("a.1pux"))
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder.path("a.1pux"))))
    #expect(bytes.count < 70_000)
    #expect(refusal(bytes) { OnePasswordSource($0) }.contains("export.data is damaged or too large"))
  }

  @Test(.inFullRun)
  func `A document of 1Password that every item has is kept within the limit of the file, and then named`() throws {
    let folder = try TemporaryDirectory()
    let document = #"{"documentAttributes":{"fileName":"f","documentId":"d"}}"#
    let items = (0..<20).map { #"{"uuid":"\#($0)","details":\#(document),"overview":{"title":"T"}}"# }
    try folder.write("export.data", #"{"accounts":[{"vaults":[{"items":[\#(items.joined(separator: ","))]}]}]}"#)
    let script = """
      import sys, zipfile
      z = zipfile.ZipFile(sys.argv[1] + '/a.1pux', 'w', zipfile.ZIP_DEFLATED, compresslevel=9)
      z.write(sys.argv[1] + '/export.data', 'export.data')
      z.writestr('files/d__f', bytes(15 << 20))
      z.close()
      """
    try Command.run("python3", "-c", script, folder.path)
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder.path("a.1pux"))))
    #expect(bytes.count < 70_000)
    try expectLimited(OnePasswordSource(.bytes(bytes)), fileByteCount: bytes.count, whole: 20)
  }
}
