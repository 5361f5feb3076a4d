import CofferCrypto

/// Texts as invitations have them.
enum SampleText {
  /// Characters of a code in base 32.
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// Returns a text of a number of bytes, of all printable characters of ASCII.
  static func text(byteCount: Int) -> String {
    String(decoding: (0..<byteCount).map { UInt8(0x20 + ($0 * 7 + byteCount) % 95) }, as: UTF8.self)
  }

  /// Returns a random code that is only in guarded memory.
  static func secret(byteCount: Int) -> SecretText {
    SecretText(capacity: byteCount) { buffer in
      for _ in 0..<byteCount { buffer.append(letters[Int.random(in: letters.indices)]) }
    }
  }
}
