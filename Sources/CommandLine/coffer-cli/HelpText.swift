/// The help of a command. ArgumentParser wraps all of it but the usage, which has up to 200 columns.
enum HelpText {
  private static let title = "USAGE: "

  /// Returns ArgumentParser's help text with its usage wrapped, and each option and its value on one line. The width is
  /// at least 40 columns.
  static func wrapped(_ text: String, to width: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
      line.hasPrefix(title) ? wrapped(usage: line, to: max(width, 40)) : [String(line)]
    }.joined(separator: "\n")
  }

  private static func wrapped(usage: Substring, to width: Int) -> [String] {
    let indentation = String(repeating: " ", count: title.count + 2)
    var lines: [String] = []
    var line = ""
    for part in parts(of: usage) {
      if !line.isEmpty, line.count + 1 + part.count > width {
        lines.append(line)
        line = indentation + part
      } else {
        line += (line.isEmpty ? "" : " ") + part
      }
    }
    return lines + [line]
  }

  /// Returns the words of a usage, with what is between brackets as one.
  private static func parts(of usage: Substring) -> [String] {
    var parts: [String] = []
    var depth = 0
    for word in usage.split(separator: " ") {
      if depth > 0 {
        parts[parts.count - 1] += " \(word)"
      } else if let last = parts.last, last.hasPrefix("--"), word.hasPrefix("<") {
        // A required option with its value.
        parts[parts.count - 1] += " \(word)"
      } else {
        parts.append(String(word))
      }
      depth += word.count { $0 == "[" } - word.count { $0 == "]" }
    }
    return parts
  }
}
