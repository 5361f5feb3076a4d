import CofferTestSupport
import Foundation
import Testing

/// Tests/README.md says which suites do less in the ordinary run, and which ones try the promises of the security
/// model.
@Suite struct TestRunTests {
  @Test
  func `The table of both runs names each suite that has tests or rows for the full run only, and no other`() throws {
    let rows = try Self.rows(of: "The ordinary run and the full run")
    let named = rows.flatMap { Self.names(in: $0[0]) }
    #expect(Set(named).count == named.count)
    #expect(try Set(named) == Set(Self.suites.get().filter { $0.value.isPartial }.keys))
  }

  @Test
  func `A row of that table names other suites exactly if the ordinary run has no test of its own`() throws {
    let suites = try Self.suites.get()
    for row in try Self.rows(of: "The ordinary run and the full run") {
      let name = try #require(Self.names(in: row[0]).first)
      let suite = try #require(suites[name], "\(name) is no suite")
      let isReplaced = row[1].hasPrefix("none: ")
      #expect(isReplaced != suite.runsOrdinarily, "\(name)")
      if isReplaced { try Self.expectOrdinaryRun(of: row[1]) }
    }
  }

  @Test
  func `Each row of the security model's tables has suites that exist and run ordinarily, or promises nothing`() throws
  {
    let promises = try DocumentationPage("SecurityModel").lines.filter { $0.hasPrefix("| ") }.map { Self.cells($0)[0] }
      .filter { $0 != "Attacker" && $0 != "Attack" }
    let rows = try Self.rows(of: "The promises of the security model")
    #expect(promises.count > 30)
    #expect(rows.map { $0[0] } == promises)
    for row in rows where !row[1].hasPrefix("none: ") { try Self.expectOrdinaryRun(of: row[1]) }
  }

  /// Expects that a cell names suites, and that the ordinary run has at least one test of each.
  private static func expectOrdinaryRun(of cell: String) throws {
    let named = names(in: cell)
    #expect(!named.isEmpty, "\(cell)")
    for name in named {
      let suite = try #require(try suites.get()[name], "\(name) is no suite")
      #expect(suite.runsOrdinarily, "\(name) has tests for the full run only")
    }
  }

  private struct Suite {
    /// Whether some of its tests or rows are for the full run only.
    var isPartial = false
    /// Whether its declaration leaves all of its tests to the full run.
    var isForFullRun = false
    /// Whether one of its tests is not marked for the full run. Such a test has at least one row in each run.
    var hasUnmarkedTest = false

    /// Whether the ordinary run has one of its tests.
    var runsOrdinarily: Bool { !isForFullRun && hasUnmarkedTest }
  }

  /// All suites by name, as their files declare them.
  private static let suites = Result { try readSuites() }

  private static func readSuites() throws -> [String: Suite] {
    let folder = DocumentationPage.root.appending(path: "Tests")
    let files =
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    var suites: [String: Suite] = [:]
    for file in files where file.pathExtension == "swift" && file.lastPathComponent != "TestRunTests.swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      let declarations = text.matches(of: /(?m)^ *(@Suite[^{]*?)?(?:final )?(?:struct|class|extension) (\w+Tests)\b/)
      for (number, match) in declarations.enumerated() {
        let end = number + 1 < declarations.count ? declarations[number + 1].range.lowerBound : text.endIndex
        let body = String(text[match.range.lowerBound..<end])
        var suite = suites[String(match.output.2)] ?? Suite()
        if body.contains(".inFullRun") || body.contains("TestRun.") { suite.isPartial = true }
        if match.output.1?.contains(".inFullRun") == true { suite.isForFullRun = true }
        // The traits of a test are between its attribute and its function.
        let tests = body.components(separatedBy: "@Test").dropFirst().map { $0.components(separatedBy: " func ")[0] }
        if tests.contains(where: { !$0.contains(".inFullRun") }) { suite.hasUnmarkedTest = true }
        suites[String(match.output.2)] = suite
      }
    }
    return suites
  }

  /// The names of suites in a cell of a table.
  private static func names(in cell: String) -> [String] { cell.matches(of: /`(\w+)`/).map { String($0.output.1) } }

  /// The cells of the first table under a heading, without the head of the table.
  private static func rows(of heading: String) throws -> [[String]] {
    let page = try String(
      contentsOf: DocumentationPage.root.appending(path: "Tests/README.md"), encoding: .utf8
    ).components(separatedBy: "\n")
    let start = try #require(page.firstIndex(of: "## " + heading))
    return page[start...].drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }.dropFirst(2).map { cells($0) }
  }

  private static func cells(_ row: String) -> [String] {
    row.dropFirst().dropLast().split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
  }
}
