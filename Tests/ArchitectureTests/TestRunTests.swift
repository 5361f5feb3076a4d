import CofferTestSupport
import Foundation
import Testing

/// Tests/README.md says which suites do less in the ordinary run, and which ones try the promises of the security
/// model.
@Suite struct TestRunTests {
  @Test
  func `The table of both runs names each suite that has tests or rows for the full run only, and no other`() throws {
    let rows = try Self.rows(of: "The ordinary run and the full run")
    let named = rows.map { String($0[0].trimmingPrefix("`").prefix { $0 != "`" }) }
    #expect(Set(named).count == named.count)
    #expect(try Set(named) == Set(Self.suites.filter { $0.value.isPartial }.keys))
  }

  @Test
  func `Each row of the security model's tables has suites that exist and run ordinarily, or promises nothing`() throws
  {
    let promises = try DocumentationPage("SecurityModel").lines.filter { $0.hasPrefix("| ") }.map { Self.cells($0)[0] }
      .filter { $0 != "Attacker" && $0 != "Attack" }
    let rows = try Self.rows(of: "The promises of the security model")
    #expect(promises.count > 30)
    #expect(rows.map { $0[0] } == promises)
    let suites = try Self.suites
    for row in rows where !row[1].hasPrefix("none: ") {
      let named = row[1].matches(of: /`(\w+)`/).map { String($0.output.1) }
      #expect(!named.isEmpty, "\(row[0])")
      for name in named {
        let suite = try #require(suites[name], "\(name) is no suite")
        #expect(!suite.isForFullRun, "\(name) is left to the full run")
      }
    }
  }

  private struct Suite {
    /// Whether some of its tests or rows are for the full run only.
    var isPartial: Bool

    /// Whether all of it is.
    var isForFullRun: Bool
  }

  /// All suites by name, as their files declare them.
  private static var suites: [String: Suite] {
    get throws {
      let folder = DocumentationPage.root.appending(path: "Tests")
      let files =
        FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
      var suites: [String: Suite] = [:]
      for file in files where file.pathExtension == "swift" && file.lastPathComponent != "TestRunTests.swift" {
        let text = try String(contentsOf: file, encoding: .utf8)
        let declarations = text.matches(of: /(?m)^ *(@Suite[^{]*?)?(?:final )?(?:struct|class|extension) (\w+Tests)\b/)
        for (number, match) in declarations.enumerated() {
          let end = number + 1 < declarations.count ? declarations[number + 1].range.lowerBound : text.endIndex
          let attributes = match.output.1 ?? ""
          let isForFullRun = attributes.contains(".inFullRun")
          let body = text[match.range.lowerBound..<end]
          let isPartial = isForFullRun || body.contains(".inFullRun") || body.contains("TestRun.")
          let other = suites[String(match.output.2)] ?? Suite(isPartial: false, isForFullRun: false)
          suites[String(match.output.2)] = Suite(
            isPartial: isPartial || other.isPartial, isForFullRun: isForFullRun || other.isForFullRun)
        }
      }
      return suites
    }
  }

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
