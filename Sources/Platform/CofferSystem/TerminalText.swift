internal import CPlatform

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
    // Most names are printable ASCII, and a list has thousands.
    if !foldsWhiteSpace, utf8.count <= limit, utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return self }
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

/// A text from a vault in a form that is safe to show on one line of a page: it cannot hide, forge or reorder what
/// stands around it. It is not escaped for HTML.
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
  /// right-to-left override. Joiners and flags are shown as themselves where they are part of a word or an emoji.
  package init(_ text: some StringProtocol, limit: Int = 200) {
    var shown = ""
    var count = 0
    var hasSymbols = false
    var isShortened = false
    let scalars = text.unicodeScalars
    for index in scalars.indices {
      guard count < limit else {
        isShortened = true
        break
      }
      count += 1
      if scalars.showsItself(at: index) {
        shown.unicodeScalars.append(scalars[index])
      } else {
        hasSymbols = true
        shown += scalars[index].symbol
      }
    }
    byteCount = text.utf8.count
    if isShortened { shown += "… (\(byteCount) bytes)" }
    self.text = shown
    self.hasSymbols = hasSymbols
    self.isShortened = isShortened
  }
}

extension BidirectionalCollection<Unicode.Scalar> {
  /// Whether a page shows the scalar at an index as itself. The script of the pages has the same rule, `unseen`.
  ///
  /// Of the scalars that a terminal does not show, these have a meaning in ordinary text:
  ///
  /// - a zero-width joiner or non-joiner between two letters of scripts that use them;
  /// - a zero-width joiner between two emoji;
  /// - tags in the flags of England, Scotland and Wales. Other tags could hide a text behind a flag.
  package func showsItself(at index: Index) -> Bool {
    switch self[index].value {
    case 0x200C, 0x200D:
      guard index > startIndex, let next = self[self.index(after: index)...].first else { return false }
      let before = self[..<index]
      if let last = before.last, last.isInJoiningScript, last.isLetterOrMark {
        return next.isInJoiningScript && next.properties.generalCategory == .otherLetter
      }
      // What chooses the form or the colour of an emoji follows it.
      let base = before.suffix(3).last { $0.value != 0xFE0F && !$0.isEmojiModifier }
      return self[index].value == 0x200D && base?.isEmojiPicture == true && next.isEmojiPicture
    case 0xE0020...0xE007F:
      guard let flag = self[..<index].suffix(6).lastIndex(where: { $0.value == 0x1F3F4 }) else { return false }
      let tags = self[self.index(after: flag)...].prefix(6).map(\.value)
      return ["gbeng", "gbsct", "gbwls"].contains { tags == $0.utf8.map { 0xE0000 + UInt32($0) } + [0xE007F] }
    default: return self[index].isSafeForTerminal
    }
  }
}

extension Unicode.Scalar {
  /// Whether joiners change how words of the scalar's script are written: Arabic, Syriac, N'Ko, the scripts of India
  /// and Sri Lanka, Myanmar, Khmer and Mongolian.
  fileprivate var isInJoiningScript: Bool {
    switch value {
    case 0x0600...0x07FF, 0x08A0...0x0DFF, 0x1000...0x109F, 0x1780...0x18AF: true
    default: false
    }
  }

  fileprivate var isLetterOrMark: Bool {
    switch properties.generalCategory {
    case .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark: true
    default: false
    }
  }

  fileprivate var isEmojiModifier: Bool { (0x1F3FB...0x1F3FF).contains(value) }

  /// Whether the scalar is an emoji of its own, other than the digits and signs of Latin-1.
  fileprivate var isEmojiPicture: Bool { value > 0xFF && properties.isEmoji && !isEmojiModifier }

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

/// The window of a terminal, as far as a program can know it.
package struct TerminalWindow: Hashable, Sendable {
  /// The number of columns. 0 if the terminal does not say it.
  package let columns: Int
  /// Whether the terminal shows characters of UTF-8 and takes escape sequences, by the variables of the environment.
  package let showsUnicode: Bool

  /// Looks at the terminal behind a descriptor; nil if it is none. The locale is the first variable that is set of
  /// `LC_ALL`, `LC_CTYPE` and `LANG`.
  package static func find(
    on descriptor: Int32, environment: [String: String] = CurrentProcess.environment
  ) -> TerminalWindow? {
    let columns = coffer_terminal_columns(descriptor)
    guard columns >= 0 else { return nil }
    return TerminalWindow(columns: Int(columns), showsUnicode: showsUnicode(environment))
  }

  private static func showsUnicode(_ environment: [String: String]) -> Bool {
    guard let terminal = environment["TERM"], !terminal.isEmpty, terminal != "dumb" else { return false }
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    // The name ends with the encoding, which systems write in different ways: en_GB.UTF-8, C.utf8, UTF-8.
    let letters = locale.lowercased().filter { $0 != "-" }
    return letters == "utf8" || letters.contains(".utf8")
  }
}

/// A terminal that shows nothing of what is typed. If a signal ends the process meanwhile, for example because it was
/// started with a time limit (`timeout`), the terminal shows again what is typed.
package enum HiddenInput {
  /// Makes a terminal show nothing, and pass on each key at once, Ctrl-C as a character. The descriptor must stay open
  /// until ``end()``. Only one terminal can be hidden at a time.
  package static func begin(on terminal: Int32) throws(SystemError) {
    try SystemError.check(coffer_hide_input(terminal), "cannot set the terminal")
  }

  /// Makes the terminal show again what is typed.
  package static func end() { coffer_show_input() }
}
