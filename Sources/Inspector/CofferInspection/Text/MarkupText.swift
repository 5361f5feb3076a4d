extension String {
  /// The text for the content or an attribute in quotation marks of HTML or XML, and thus of SVG.
  ///
  /// `&`, `<`, `>`, `"` and `'` are escaped. Characters that these formats cannot contain, such as NUL, become U+FFFD, the
  /// replacement character. Characters that change the direction of text are kept: a name that is shown in a line must
  /// be passed through `sanitizedForTerminal(limit:)` first.
  package var escapedForMarkup: String {
    var result = ""
    result.reserveCapacity(utf8.count)
    for scalar in unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar.isAllowedInMarkup ? scalar : "\u{FFFD}")
      }
    }
    return result
  }
}

extension Unicode.Scalar {
  /// Whether XML 1.0 and HTML can contain the scalar.
  fileprivate var isAllowedInMarkup: Bool {
    switch value {
    case 0x09, 0x0A, 0x0D: true
    case 0..<0x20, 0x7F..<0xA0: false
    // The last two of each plane, and the block in the Arabic presentation forms, are no characters.
    case 0xFDD0...0xFDEF: false
    default: value & 0xFFFE != 0xFFFE
    }
  }
}
