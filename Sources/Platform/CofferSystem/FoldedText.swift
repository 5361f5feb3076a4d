#if canImport(FoundationEssentials)
  // The decompositions of Unicode, which FoundationEssentials uses too. They have no public name in Swift.
  @_spi(_Unicode) internal import Swift
#else
  internal import Foundation
#endif

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
