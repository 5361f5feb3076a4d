extension String {
  /// Returns the text on one line, in a form that cannot control a terminal, forge a line, or show as other text than
  /// it is. A text of more than `limit` scalars ends with "…" after them: the default suits names; pass `.max` to show
  /// all. With `foldsWhiteSpace`, for text of several lines that has to fit in one, each run of white space, line ends
  /// included, becomes one space, and is removed at both ends.
  ///
  /// Every scalar of the general categories control, format, surrogate, private use, unassigned, line separator and
  /// paragraph separator is written as an escape: `\u{1B}` for ESC, `\u{202E}` for the right-to-left override. All
  /// others are kept, also the backslash: the result is for people to read and cannot be turned back into the text.
  ///
  /// The zero-width joiner is a format scalar, so an emoji that joins several is shown as its parts with `\u{200D}`
  /// between them. That is accepted: an exception would have to recognise emoji sequences, and invisible scalars could
  /// hide in them.
  package func sanitizedForTerminal(limit: Int = 200, foldsWhiteSpace: Bool = false) -> String {
    var result = ""
    var count = 0
    var isAfterWhiteSpace = false
    for scalar in unicodeScalars {
      if foldsWhiteSpace && scalar.properties.isWhitespace {
        isAfterWhiteSpace = !result.isEmpty
        continue
      }
      guard count < limit else {
        result += "…"
        break
      }
      count += 1
      if isAfterWhiteSpace { result += " " }
      isAfterWhiteSpace = false
      if scalar.isSafeForTerminal {
        result.unicodeScalars.append(scalar)
      } else {
        result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      }
    }
    return result
  }
}

extension Unicode.Scalar {
  /// Whether a terminal shows the scalar as itself: it is not of a general category that
  /// ``Swift/String/sanitizedForTerminal(limit:foldsWhiteSpace:)`` escapes.
  package var isSafeForTerminal: Bool {
    // Most scalars of a vault are ASCII, and looking up a category took a quarter of the time of `coffer list --json`.
    if isASCII { return (0x20...0x7E).contains(value) }
    return switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }
}
