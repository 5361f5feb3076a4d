/// Base32 of RFC 4648, as people copy it from a web page.
enum Base32 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// Returns the bytes that a text stands for. White space, hyphens, the case of letters and the padding at the end do not
  /// matter, and neither do the bits of the last character that belong to no byte: services choose all characters at
  /// random. Returns nil for another character, and for a length that no number of bytes has.
  static func decode(_ text: String) -> [UInt8]? {
    let characters = text.utf8.filter { $0 != UInt8(ascii: "-") && $0 > UInt8(ascii: " ") }
    let digits = characters.prefix { $0 != UInt8(ascii: "=") }
    guard characters.dropFirst(digits.count).allSatisfy({ $0 == UInt8(ascii: "=") }),
      [0, 2, 4, 5, 7].contains(digits.count % 8)
    else { return nil }
    var bytes: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount = 0
    for digit in digits {
      let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(digit) ? digit - 32 : digit
      guard let value = alphabet.firstIndex(of: upper) else { return nil }
      bits = bits << 5 | UInt32(value)
      bitCount += 5
      if bitCount >= 8 {
        bitCount -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
      }
    }
    return bytes
  }

  /// Returns bytes as text, without padding.
  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var bits: UInt32 = 0
    var bitCount = 0
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      bitCount += 8
      while bitCount >= 5 {
        bitCount -= 5
        text.append(alphabet[Int(bits >> UInt32(bitCount) & 31)])
      }
    }
    if bitCount > 0 { text.append(alphabet[Int(bits << UInt32(5 - bitCount) & 31)]) }
    return String(decoding: text, as: UTF8.self)
  }
}
