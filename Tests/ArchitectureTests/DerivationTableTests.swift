import CofferTestSupport
import Foundation
import Testing

/// The tables of FORMAT.md that name what hashes and keys are derived for.
@Suite struct DerivationTableTests {
  @Test func `The tables have every domain and every derivation context of the sources, and no other`() throws {
    let page = try DocumentationPage("FORMAT").lines.joined(separator: "\n")
    let start = try #require(page.range(of: "| Domain | Used for |"))
    let end = try #require(page.range(of: "### Identifiers"))
    let rows = page[start.upperBound..<end.lowerBound].split(separator: "\n").compactMap { row in
      row.split(separator: "|").first.map(String.init)
    }
    let listed = rows.flatMap { names(in: $0, #"`((?:coffer\.|Cf)[^`]+)`"#) }
    #expect(Set(listed).count == listed.count, "each has one purpose")

    let files = FileManager.default.enumerator(
      at: DocumentationPage.root.appending(path: "Sources"), includingPropertiesForKeys: nil)
    let sources = (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
    var used: Set<String> = []
    for file in sources {
      let text = try String(contentsOf: file, encoding: .utf8)
      used.formUnion(names(in: text, #"\bDomain\("([^"]+)"\)"#) + names(in: text, #"context: "(Cf[^"]+)""#))
    }
    #expect(used.count > 40)
    #expect(Set(listed) == used)
  }

  private func names(in text: String, _ pattern: String) -> [String] {
    guard let expression = try? NSRegularExpression(pattern: pattern) else { return [] }
    return expression.matches(in: text, range: NSRange(text.startIndex..., in: text)).compactMap { match in
      Range(match.range(at: 1), in: text).map { String(text[$0]) }
    }
  }
}
