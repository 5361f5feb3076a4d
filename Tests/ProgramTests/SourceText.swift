/// The texts in a source file of Swift.
enum SourceText {
  /// The word that stands for an interpolation without a text in it.
  static let sample = "sample"

  /// Returns the contents of the string literals, also of those in interpolations. An interpolation becomes the first
  /// text in it or, if it has none, a word.
  static func literals(in source: String) -> [String] {
    var scanner = Scanner(bytes: Array(source.utf8))
    scanner.scan()
    return scanner.found
  }

  private struct Scanner {
    let bytes: [UInt8]
    var position = 0
    var found: [String] = []

    init(bytes: [UInt8]) { self.bytes = bytes }

    private func isNext(_ text: String) -> Bool {
      var index = position
      for byte in text.utf8 {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
      }
      return true
    }

    private mutating func skip(past text: String) {
      while position < bytes.count, !isNext(text) { position += 1 }
      position += text.utf8.count
    }

    mutating func scan() {
      while position < bytes.count {
        if isNext("//") {
          skip(past: "\n")
        } else if isNext("#/") {
          skip(past: "/#")
        } else if isNext("#\"") {
          position += 2
          skip(past: "\"#")
        } else if isNext("\"") {
          literal()
        } else {
          position += 1
        }
      }
    }

    /// Reads a literal that begins at the position.
    private mutating func literal() {
      let isLong = isNext("\"\"\"")
      position += isLong ? 3 : 1
      var text: [UInt8] = []
      while position < bytes.count, !(isLong ? isNext("\"\"\"") : isNext("\"") || isNext("\n")) {
        if isNext("\\(") {
          text += interpolation()
        } else if isNext("\\\n") {
          position += 2
          while position < bytes.count, bytes[position] == UInt8(ascii: " ") { position += 1 }
        } else if isNext("\\") {
          let next = bytes[min(position + 1, bytes.count - 1)]
          text.append(next == UInt8(ascii: "n") ? UInt8(ascii: "\n") : next)
          position += 2
        } else {
          text.append(bytes[position])
          position += 1
        }
      }
      position += isLong ? 3 : 1
      found.append(String(decoding: text, as: UTF8.self))
    }

    /// Reads an interpolation, and returns what stands for it.
    private mutating func interpolation() -> [UInt8] {
      position += 2
      let before = found.count
      var depth = 1
      while position < bytes.count, depth > 0 {
        switch bytes[position] {
        case UInt8(ascii: "\""): literal()
        case UInt8(ascii: "("):
          depth += 1
          position += 1
        case UInt8(ascii: ")"):
          depth -= 1
          position += 1
        default: position += 1
        }
      }
      return Array((found.count > before ? found[before] : SourceText.sample).utf8)
    }
  }
}
