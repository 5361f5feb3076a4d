import CofferImport
import CofferSystem
import Testing

@Suite struct DotenvSourceTests {
  @Test func `Quotes, escapes, comments and several lines are read as the libraries do`() throws {
    let lines = try ReadLines.read(
      """
      # comment
      export A = plain # comment
      B='single # \\n $x'
      C="double \\"q\\" \\n\\t\\\\ ${D}
      next"
      EMPTY=
      HASH=a#b
      REF=coffer:///a/b
      no variable
      """
    ) { DotenvSource($0, service: "project") }
    #expect(
      lines.items.map { $0.text("acct") } == ["A", "B", "C", "EMPTY", "HASH"]
        && lines.items.allSatisfy { $0.text("svce") == "project" })
    #expect(lines.items.map(\.value) == ["plain", "single # \\n $x", "double \"q\" \n\t\\ ${D}\nnext", "", "a#b"])
    #expect(lines.skipped.map(\.name) == ["line 9", "REF"])
  }

  @Test func `Of two equal names the later one is read, and text around a name or a value is reported`() throws {
    let lines = try ReadLines.read("A=1\nFOO BAR=1\nK=\"a\"b\nQ='x' # comment\nB = 2\nA=3\n") {
      DotenvSource($0, service: "s")
    }
    #expect(lines.items.map { $0.text("acct") } == ["Q", "B", "A"])
    #expect(lines.items.map(\.value) == ["x", "2", "3"])
    #expect(lines.skipped.map(\.name) == ["line 2", "line 3", "A in line 1"])
  }

  @Test func `A value of a comment only is empty, and a byte order mark hides no variable`() throws {
    let lines = try ReadLines.read("\u{FEFF}FIRST=1\nONLY= # remark\nTAB=\t#\nHASH=#1\n") {
      DotenvSource($0, service: "s")
    }
    #expect(lines.items.map { $0.text("acct") } == ["FIRST", "ONLY", "TAB", "HASH"] && lines.skipped.isEmpty)
    #expect(lines.items.map(\.value) == ["1", "", "", "#1"])
  }

  @Test func `Variables in bytes without a folder get the name of the file as their service`() throws {
    let source = try #require(
      SourceCatalog.source(named: "dotenv", path: "./web.env", Array("A=1".utf8), SourceOptions { [] }))
    #expect(try ReadLines.read(source).items.map { $0.text("svce") } == ["web.env"])
  }

  @Test func `A value that is no text is kept, and quotes that do not end are refused`() throws {
    let lines = try ReadLines.read(DotenvSource(.bytes(Array("A=".utf8) + [0xff, 0]), service: "s"))
    #expect(lines.items.map(\.bytes) == [[0xff, 0]])
    #expect(refusal("A=\"x\ny") { DotenvSource($0, service: "s") }.contains("do not end"))
  }
}
