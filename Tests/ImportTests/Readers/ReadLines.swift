import CofferImport
import CofferSystem
import Foundation

/// What a source has printed.
struct ReadLines {
  private(set) var items: [ImportLine] = []
  private(set) var skipped: [ImportLine] = []

  /// Reads a source to its end, or throws its error.
  static func read(_ source: any EntrySource, named name: String = "test") throws -> ReadLines {
    var lines: [ImportLine] = []
    var sink = EntrySink(source: name) { lines.append($0) }
    try source.read(into: &sink)
    var result = ReadLines()
    result.items = lines.filter { $0.itemClass != nil }
    result.skipped = lines.filter { $0.skipped != nil }
    return result
  }

  static func read(_ text: String, _ source: (SourceInput) -> any EntrySource) throws -> ReadLines {
    try read(source(.bytes(Array(text.utf8))))
  }

  /// The password with an account or, for a name such as `jane:notes`, a part of its entry.
  subscript(_ name: String) -> ImportLine? {
    let words = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    return items.first { item in
      guard item.text("acct") == words[0] else { return false }
      return words.count == 1
        ? item.origin?.part.isEmpty ?? true
        : item.origin?.part.isEmpty == false && item.text("svce")?.hasSuffix(":\(words[1])") == true
    }
  }

  /// The details of the entry with an account, as JSON.
  func details(_ account: String) -> JSONValue? {
    self[account].flatMap { JSONValue(json: $0.bytes) }
  }
}

extension ImportLine {
  var origin: EntryOrigin? { text("icmt").flatMap(EntryOrigin.init(comment:)) }

  /// The value as text.
  var shownValue: String { value ?? "bytes: \(bytes)" }
}

/// The message of the error that reading throws; empty if it throws none.
func refusal(_ text: String, _ source: (SourceInput) -> any EntrySource) -> String {
  refusal(Array(text.utf8), source)
}

/// The message of the error that reading throws; empty if it throws none.
func refusal(_ bytes: [UInt8], _ source: (SourceInput) -> any EntrySource) -> String {
  do {
    _ = try ReadLines.read(source(.bytes(bytes)))
    return ""
  } catch {
    return "\(error)"
  }
}
