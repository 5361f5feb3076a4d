import CofferTestSupport
import Foundation
import Testing

/// The tables of the page AttacksByPrograms name the tests that try each attack.
@Suite struct AttackTableTests {
  @Test func `Each attack has tests that exist, or says why it has none`() throws {
    let rows = try DocumentationPage("AttacksByPrograms").lines
      .filter { $0.hasPrefix("| ") && !$0.hasSuffix("| Tests |") }
    #expect(rows.count > 30)
    let tests = try Self.names()
    for row in rows {
      let cell = row.dropLast().split(separator: "|").last.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
      if cell == "none" || cell.hasPrefix("none: ") { continue }
      let named = cell.components(separatedBy: "`, `").map { $0.trimmingCharacters(in: ["`"]) }
      #expect(!named.isEmpty)
      for name in named { #expect(tests.contains(name), "\(name)") }
    }
  }

  /// The names of all tests of the programs.
  private static func names() throws -> Set<String> {
    let files = ["Tests/ProgramTests", "Tests/SecretServiceTests"].flatMap { folder in
      let files = FileManager.default.enumerator(
        at: DocumentationPage.root.appending(path: folder), includingPropertiesForKeys: nil)
      return files?.compactMap { $0 as? URL } ?? []
    }
    return try files.filter { $0.pathExtension == "swift" }
      .reduce(into: []) { names, file in
        let text = try String(contentsOf: file, encoding: .utf8)
        for match in text.matches(of: /func `([^`]+)`/) { names.insert(String(match.output.1)) }
      }
  }
}
