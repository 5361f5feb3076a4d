package import CofferPlatform

#if canImport(FoundationEssentials)
  // The decompositions of Unicode, which FoundationEssentials uses too. They have no public name in Swift.
  @_spi(_Unicode) internal import Swift
#else
  internal import Foundation
#endif

/// Returns a number with its noun: "1 item", "2 items". The plural is for nouns that do not just add an s.
package func counted(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
  "\(number.grouped) \(number == 1 ? noun : plural ?? noun + "s")"
}

/// Returns names in a sentence: "a", "a and b", "a, b and c". Of more than `limit`, the others are counted.
package func list(_ names: [String], limit: Int = 5) -> String {
  var shown = names
  if names.count > limit { shown = names.prefix(limit - 1) + ["\(names.count - limit + 1) others"] }
  guard let last = shown.last, shown.count > 1 else { return shown.first ?? "none" }
  return shown.dropLast().joined(separator: ", ") + " and " + last
}

extension Int {
  /// The number with thin spaces between groups of three digits.
  package var grouped: String {
    let digits = Array(String(magnitude))
    var result = self < 0 ? "−" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0 && (digits.count - index).isMultiple(of: 3) { result += "\u{202F}" }
      result.append(digit)
    }
    return result
  }
}

/// Returns a time in words: "10 minutes", "90 seconds".
package func counted(seconds: Int) -> String {
  seconds.isMultiple(of: 60) ? counted(seconds / 60, "minute") : counted(seconds, "second")
}

/// A number of days for people: "60 days", and from two months on "2 years 10 months", in years of 365 days.
package func counted(days: Int) -> String {
  guard days > 60 else { return counted(days, "day") }
  let months = days * 12 / 365
  let parts = [(months / 12, "year"), (months % 12, "month")].filter { $0.0 > 0 }
  return parts.map { counted($0.0, $0.1) }.joined(separator: " ")
}

extension BinaryInteger {
  /// The number of bytes for people, in the decimal unit that fits: "999 bytes", "12 kB", "3.4 MB" or "1.25 GB".
  package var byteCountText: String {
    let count = Double(self)
    guard count.magnitude >= 1_000 else { return self == 1 ? "1 byte" : "\(self) bytes" }
    let units = [("kB", 1e3, 0), ("MB", 1e6, 1), ("GB", 1e9, 2), ("TB", 1e12, 2)]
    for (unit, size, digits) in units {
      let scale = Double([1, 10, 100][digits])
      let hundredths = (count / size * scale).rounded(.toNearestOrEven)
      // What rounds to 1,000 of a unit is 1 of the next.
      guard unit == "TB" || hundredths.magnitude < 1_000 * scale else { continue }
      // Swift prints no more digits than are needed.
      let text = "\(hundredths / scale)"
      return "\(text.hasSuffix(".0") ? String(text.dropLast(2)) : text) \(unit)"
    }
    return "\(self) bytes"
  }
}

extension Date {
  /// The date in the machine's time zone, to the second: `2026-11-21 00:31:49`.
  ///
  /// The C library knows the time zone. FoundationEssentials does not: its current time zone is always GMT.
  package var localText: String {
    guard var seconds = time_t(exactly: timeIntervalSince1970.rounded(.down)) else { return "\(self)" }
    var fields = unsafe tm()
    guard unsafe localtime_r(&seconds, &fields) != nil else { return "\(self)" }
    func padded(_ number: Int, to width: Int = 2) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
    }
    // The year of a date can be the last one that a tm has.
    let year = unsafe padded(Int(fields.tm_year) + 1_900, to: 4)
    let day = unsafe "\(year)-\(padded(Int(fields.tm_mon) + 1))-\(padded(Int(fields.tm_mday)))"
    return unsafe "\(day) \(padded(Int(fields.tm_hour))):\(padded(Int(fields.tm_min))):\(padded(Int(fields.tm_sec)))"
  }

  /// Creates the first moment of a day in the machine's time zone; nil if the day does not exist.
  package init?(year: Int, month: Int, day: Int) {
    guard let year = Int32(exactly: year - 1_900), let month = Int32(exactly: month - 1), let day = Int32(exactly: day)
    else { return nil }
    // Where the clock is put forward at midnight, the day begins later.
    for hour in 0..<3 as Range<Int32> {
      var fields = unsafe tm()
      unsafe (fields.tm_year, fields.tm_mon, fields.tm_mday, fields.tm_hour, fields.tm_isdst) =
        (year, month, day, hour, -1)
      let seconds = unsafe mktime(&fields)
      if unsafe (fields.tm_year, fields.tm_mon, fields.tm_mday) == (year, month, day) {
        self.init(timeIntervalSince1970: Double(seconds))
        return
      }
    }
    return nil
  }
}

extension StringProtocol {
  /// The text with a capital at its beginning, as a sentence has it. For words of this program only: a name from a
  /// vault is shown as it is spelled.
  package var startingSentence: String { prefix(1).uppercased() + dropFirst() }

  /// A clause as a sentence: with a capital and a full stop, but none after a command, of which it would seem a part.
  package var asSentence: String {
    let text = startingSentence
    return text.hasSuffix(".") || text.commandStart != nil ? text : text + "."
  }

  /// Where the command begins that ends the text, after a colon: "list the items with: coffer list"; nil if none does.
  package var commandStart: Index? {
    var start: Index?
    var rest = self[...]
    while let colon = rest.firstIndex(of: ":") {
      rest = rest[colon...].dropFirst()
      if [" coffer ", " sudo ", " git ", " kill "].contains(where: rest.hasPrefix) {
        start = rest.index(after: rest.startIndex)
      }
    }
    return start
  }
}

extension StringProtocol {
  /// The text without white space at both ends.
  package var trimmedSpace: String {
    guard let start = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace }) else {
      return ""
    }
    return String(self[start...last])
  }
}

extension StringProtocol {
  /// Returns the text without case and without the diacritics of alphabets such as Latin, Greek and Cyrillic, composed
  /// again, so that a syllable of Korean stays one character. `ignoresWidth` also turns full-width letters, digits and
  /// signs, and half-width Katakana, into the usual ones.
  package func folded(ignoresWidth: Bool = false) -> String {
    #if canImport(FoundationEssentials)
      var folded = String.UnicodeScalarView()
      var losesMarks = false
      for decomposed in String(self)._nfd {
        let scalar = ignoresWidth ? Self.usualWidth(of: decomposed) : decomposed
        if scalar.properties.generalCategory == .nonspacingMark {
          if losesMarks { continue }
        } else {
          losesMarks = scalar.value < 0x530 || (0x1E00..<0x2000).contains(scalar.value)
        }
        Self.append(scalar, to: &folded)
      }
      var composed = String.UnicodeScalarView()
      for scalar in String(folded)._nfc { composed.append(scalar) }
      return String(composed)
    #else
      var options: String.CompareOptions = [.caseInsensitive, .diacriticInsensitive]
      if ignoresWidth { options.insert(.widthInsensitive) }
      return folding(options: options, locale: nil)
    #endif
  }

  #if canImport(FoundationEssentials)
    /// Appends a scalar without case: "ẞ" and "ß" become "ss".
    private static func append(_ scalar: Unicode.Scalar, to folded: inout String.UnicodeScalarView) {
      if scalar.value < 0x80 {
        folded.append(scalar.properties.isUppercase ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar)
        return
      }
      // The dotless i is another letter than i, although its capital is I.
      guard scalar.properties.changesWhenCaseMapped, scalar != "ı" else { return folded.append(scalar) }
      for small in scalar.properties.lowercaseMapping.unicodeScalars {
        for capital in small.properties.uppercaseMapping.unicodeScalars {
          folded.append(contentsOf: capital.properties.lowercaseMapping.unicodeScalars)
        }
      }
    }

    private static func usualWidth(of scalar: Unicode.Scalar) -> Unicode.Scalar {
      switch scalar.value {
      case 0x3000: " "
      case 0xFF01...0xFF5E: Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar
      case 0xFF61...0xFF9D: katakana[Int(scalar.value - 0xFF61)]
      default: scalar
      }
    }
  #endif
}

#if canImport(FoundationEssentials)
  /// What is half as wide from U+FF61 on, in the usual width.
  private let katakana = Array(
    "。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン".unicodeScalars)
#endif
