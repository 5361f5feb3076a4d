/// A text from a vault in a form that is safe to show on one line of a page: it cannot hide, forge or reorder what stands
/// around it. It is not escaped for HTML.
package struct DisplayText: Hashable, Sendable {
  /// The text to show.
  package let text: String
  /// The size of the whole text in bytes of UTF-8.
  package let byteCount: Int
  /// Whether the end of the text is missing.
  package let isShortened: Bool
  /// Whether symbols stand for characters that cannot be shown.
  package let hasSymbols: Bool

  /// Makes a text safe to show. Only `limit` scalars of it are shown; after them, a longer text has "…" and its real
  /// size.
  ///
  /// Control characters become their pictures (`␀` for NUL, `␊` for a line feed). Every other scalar that
  /// ``Swift/String/sanitizedForTerminal(limit:foldsWhiteSpace:)`` escapes is shown by its number: `‹U+202E›` for the
  /// right-to-left override.
  package init(_ text: some StringProtocol, limit: Int = 200) {
    var shown = ""
    var count = 0
    var hasSymbols = false
    var isShortened = false
    for scalar in text.unicodeScalars {
      guard count < limit else {
        isShortened = true
        break
      }
      count += 1
      if scalar.isSafeForTerminal {
        shown.unicodeScalars.append(scalar)
      } else {
        hasSymbols = true
        shown += scalar.symbol
      }
    }
    byteCount = text.utf8.count
    if isShortened { shown += "… (\(byteCount) bytes)" }
    self.text = shown
    self.hasSymbols = hasSymbols
    self.isShortened = isShortened
  }
}

extension Unicode.Scalar {
  /// What is shown for a scalar that cannot be shown as itself.
  fileprivate var symbol: String {
    switch value {
    // The pictures have the order of the control characters.
    case 0x00...0x1F: Unicode.Scalar(0x2400 + value).map { String($0) } ?? "\u{2421}"
    case 0x7F: "\u{2421}"
    default:
      "‹U+\(String(repeating: "0", count: max(0, 4 - hexadecimalDigits.count)))\(hexadecimalDigits)›"
    }
  }

  private var hexadecimalDigits: String { String(value, radix: 16, uppercase: true) }
}
