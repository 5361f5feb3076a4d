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
      let text = try String(contentsOf: file, encoding: .utf8)
      let isExtension = file.lastPathComponent.hasPrefix("VaultError+")
      return find("VaultError(", in: text) + (isExtension ? find("self.init(", in: text) : [])
    }
  }

  private static func find(_ call: String, in text: String) -> [ErrorConstruction] {
    let parts = text.components(separatedBy: call)
    return zip(parts, parts.dropFirst()).compactMap { before, after in
      guard before.last?.isLetter != true else { return nil }
      let arguments = arguments(in: after)
      // The first one is the code, and others follow.
      let first = arguments.prefix { $0 != "," }
      guard first.count < arguments.count, first.hasPrefix(".") || first.allSatisfy({ $0.isLetter || $0 == "." }) else {
        return nil
      }
      return ErrorConstruction(arguments: arguments)
    }
  }

  /// Returns the text before the bracket that closes a call.
  private static func arguments(in text: String) -> String {
    var depth = 1
    let end = text.firstIndex { character in
      if character == "(" { depth += 1 }
      if character == ")" { depth -= 1 }
      return depth == 0
    }
    return text[..<(end ?? text.endIndex)].trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
