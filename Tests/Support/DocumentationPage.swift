package import Foundation

/// A page of a DocC catalog, for tests that compare its examples with running code.
package struct DocumentationPage {
  package struct Block {
    /// The file that the line before the block names; empty if it names none.
    package let file: String
    package let text: String
  }

  package let lines: [String]

  /// The folder of the package.
  package static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Returns the folder of a target in `Sources`, which is in one of the rooms.
  package static func folder(of target: String) -> URL {
    let sources = root.appending(path: "Sources")
    let rooms = (try? FileManager.default.contentsOfDirectory(atPath: sources.path)) ?? []
    return rooms.map { sources.appending(path: "\($0)/\(target)") }
      .first { FileManager.default.fileExists(atPath: $0.path) } ?? sources.appending(path: target)
  }

  /// Reads a page by its name without `.md` from the catalog of a module.
  package init(_ name: String, of module: String = "Coffer") throws {
    let page = Self.folder(of: module).appending(path: "\(module).docc/\(name).md")
    lines = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n")
  }

  /// Returns the fenced blocks of a language, in their order.
  package func blocks(of language: String) -> [Block] {
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
