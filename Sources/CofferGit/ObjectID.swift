internal import CGit2

/// The name of a git object: 20 bytes of SHA-1.
package struct ObjectID: Hashable, Sendable, CustomStringConvertible {
  // Three words: no allocation, and hashing and comparing come for free.
  private let high: UInt64
  private let middle: UInt64
  private let low: UInt32

  /// `nil` unless there are exactly 20 bytes.
  package init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 20 else { return nil }
    var words: (UInt64, UInt64, UInt32) = (0, 0, 0)
    for (index, byte) in bytes.enumerated() {
      switch index {
      case 0..<8: words.0 = words.0 << 8 | UInt64(byte)
      case 8..<16: words.1 = words.1 << 8 | UInt64(byte)
      default: words.2 = words.2 << 8 | UInt32(byte)
      }
    }
    (high, middle, low) = words
  }

  /// `nil` unless the text is 40 hexadecimal digits, in either case.
  package init?(hex: String) {
    let digits = hex.utf8.compactMap(Self.value(ofDigit:))
    guard hex.utf8.count == 40, digits.count == 40 else { return nil }
    self.init(bytes: stride(from: 0, to: 40, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
  }

  /// The 20 bytes.
  package var bytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: high >> (56 - 8 * $0)) }
      + (0..<8).map { UInt8(truncatingIfNeeded: middle >> (56 - 8 * $0)) }
      + (0..<4).map { UInt8(truncatingIfNeeded: low >> (24 - 8 * $0)) }
  }

  /// 40 lower-case hexadecimal digits.
  package var description: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  private static func value(ofDigit digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension ObjectID {
  init(_ raw: git_oid) {
    let i = raw.id
    high = Self.word(i.0, i.1, i.2, i.3) << 32 | Self.word(i.4, i.5, i.6, i.7)
    middle = Self.word(i.8, i.9, i.10, i.11) << 32 | Self.word(i.12, i.13, i.14, i.15)
    low = UInt32(Self.word(i.16, i.17, i.18, i.19))
  }

  /// The value that libgit2 takes.
  var raw: git_oid {
    var result = git_oid()
    unsafe withUnsafeMutableBytes(of: &result) { unsafe $0.copyBytes(from: bytes) }
    return result
  }

  /// The name that git uses for "nothing".
  var isZero: Bool { high == 0 && middle == 0 && low == 0 }

  private static func word(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) -> UInt64 {
    UInt64(a) << 24 | UInt64(b) << 16 | UInt64(c) << 8 | UInt64(d)
  }
}
