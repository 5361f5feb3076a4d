import CofferTestSupport
import Foundation

/// The page `Architecture.md`, as far as tests compare it with the sources.
struct ArchitecturePage {
  /// A declaration that the page names beside its file.
  struct Reference: Hashable, CustomStringConvertible {
    let declaration: String
    let file: String

    var description: String { "\(declaration) in \(file)" }
  }

  private let lines: [String]

  init() throws { lines = try DocumentationPage("Architecture").lines }

  /// Every path that begins with `Sources/`.
  var paths: Set<String> { Set(lines.flatMap(Self.codeSpans).filter { $0.hasPrefix("Sources/") }) }

  /// The declarations of the numbered steps and of the table: a name, and the next path in the same line.
  var references: Set<Reference> {
    var found: Set<Reference> = []
    for line in lines {
      let isStep = line.range(of: #"^\d+\. `"#, options: .regularExpression) != nil
      for part in line.components(separatedBy: "; ") where isStep || part.contains("` in `Sources/") {
        let spans = Self.codeSpans(part)
        guard let file = spans.last, file.hasPrefix("Sources/"), file.hasSuffix(".swift") else { continue }
        let name = isStep ? spans.first : spans.dropLast().last
        if let name, name != file { found.insert(Reference(declaration: name, file: file)) }
      }
    }
    return found
  }

  /// The rows of the table of targets: a target, and the targets that it may import.
  var targets: [String: Set<String>] {
    var rows: [String: Set<String>] = [:]
    for line in section("Targets") where line.hasPrefix("| `") {
      let cells = line.components(separatedBy: " | ")
      guard cells.count >= 3, let name = Self.codeSpans(cells[0]).first else { continue }
      rows[name] = Set(Self.codeSpans(cells[1]))
    }
    return rows
  }

  /// The types in the second column of the glossary.
  var glossaryTypes: Set<String> {
    Set(
      section("Glossary").filter { $0.hasPrefix("| ") }.compactMap { line in
        let cells = line.components(separatedBy: " | ")
        return cells.count >= 3 ? Self.codeSpans(cells[1]).first : nil
      })
  }

  private func section(_ title: String) -> ArraySlice<String> {
    guard let start = lines.firstIndex(of: "## \(title)") else { return [] }
    let rest = lines[(start + 1)...]
    return rest.prefix { !$0.hasPrefix("## ") }
  }

  private static func codeSpans(_ text: String) -> [String] {
    text.components(separatedBy: "`").enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
  }
}
