import Foundation

/// A page of the DocC catalog, for the tests that hold its examples against what runs.
struct DocumentationPage {
  struct Block {
    /// The file that the line before the block names; empty where none is.
    let file: String
    let text: String
  }

  private let lines: [String]

  init(_ name: String) throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = root.appending(path: "Sources/Coffer/Coffer.docc/\(name).md")
    lines = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n")
  }

  /// The fenced blocks of a language, in their order.
  func blocks(of language: String) -> [Block] {
    var blocks: [Block] = []
    var position = 0
    while let start = lines[position...].firstIndex(of: "```\(language)") {
      let end = lines[(start + 1)...].firstIndex(of: "```") ?? lines.count
      let named = lines[..<start].last { !$0.isEmpty } ?? ""
      let file = named.hasPrefix("`") && named.hasSuffix("`:") ? String(named.dropFirst().dropLast(2)) : ""
      blocks.append(Block(file: file, text: lines[(start + 1)..<end].joined(separator: "\n")))
      position = min(end + 1, lines.count)
    }
    return blocks
  }
}
