/// A bundle identifier in reverse-DNS form, such as `com.example.photo`.
package struct BundleID: Hashable, Sendable, LosslessStringConvertible {
  /// The identifier, as written.
  package let description: String

  /// The syntax of a bundle identifier, for error messages.
  package static let form = "1 to 200 characters, A–Z a–z 0–9 . -, with a dot inside and no empty part"

  /// Creates an identifier; nil unless `text` is 1 to 200 bytes of letters, digits, `.` and `-`, with at least one dot
  /// and no empty label. Wildcards are not allowed.
  package init?(_ text: String) {
    guard text.utf8.count <= 200, let labels = labelCount(text), labels >= 2 else { return nil }
    description = text
  }
}

/// Returns the number of labels in a dotted name; nil if a label is empty or a byte is not an ASCII letter, a digit,
/// `-` or a dot. Compares bytes, because a combining mark would hide a character from a comparison of `Character`s.
func labelCount(_ text: some StringProtocol) -> Int? {
  var count = 1
  var isLabelEmpty = true
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "."):
      if isLabelEmpty { return nil }
      count += 1
      isLabelEmpty = true
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      isLabelEmpty = false
    default:
      return nil
    }
  }
  return isLabelEmpty ? nil : count
}
