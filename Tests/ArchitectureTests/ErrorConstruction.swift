import CofferTestSupport
import Foundation

/// A place in the sources at which a `VaultError` is created.
struct ErrorConstruction {
  /// The arguments as they are written.
  let arguments: String

  /// The error's message as it is written; the arguments if they contain no text.
  var message: String {
    guard let start = arguments.firstIndex(of: "\"") else { return arguments }
    let text = arguments[arguments.index(after: start)...]
    return String(text.prefix { $0 != "\"" })
  }

  var hasSuggestion: Bool { arguments.contains("recoverySuggestion:") }

  /// Returns all of them, from every file of the folder `Sources`.
  static func all() throws -> [ErrorConstruction] {
    let sources = DocumentationPage.root.appending(path: "Sources")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    return try (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }.flatMap { file in
      let text = try [UInt8](Data(contentsOf: file))
      let extensions = positions(of: "extension VaultError {", in: text).map { start in
        let rest = [UInt8](text[start...])
        return [UInt8](rest[..<(positions(of: "\n}\n", in: rest).first ?? rest.count)])
      }
      return find("VaultError(", in: text) + extensions.flatMap { find("self.init(", in: $0) }
    }
  }

  private static func find(_ call: String, in text: [UInt8]) -> [ErrorConstruction] {
    positions(of: call, in: text).compactMap { position in
      if position > 0, Character(UnicodeScalar(text[position - 1])).isLetter { return nil }
      let arguments = arguments(in: text[(position + call.utf8.count)...])
      // The first one is the code, and others follow.
      let first = arguments.prefix { $0 != "," }
      guard first.count < arguments.count, first.hasPrefix(".") || first.allSatisfy({ $0.isLetter || $0 == "." }) else {
        return nil
      }
      return ErrorConstruction(arguments: arguments)
    }
  }

  /// Returns the positions of `words` in bytes. To compare all sources by characters takes half a minute.
  private static func positions(of words: String, in text: [UInt8]) -> [Int] {
    let words = [UInt8](words.utf8)
    var positions: [Int] = []
    var position = 0
    while let next = text[position...].firstIndex(of: words[0]) {
      if text[next...].starts(with: words) { positions.append(next) }
      position = next + 1
    }
    return positions
  }

  /// Returns the text before the bracket that closes a call.
  private static func arguments(in text: ArraySlice<UInt8>) -> String {
    var depth = 1
    let end = text.firstIndex { byte in
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") { depth -= 1 }
      return depth == 0
    }
    return String(decoding: text[..<(end ?? text.endIndex)], as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
