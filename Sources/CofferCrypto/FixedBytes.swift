/// Sixteen bytes as a value: identifiers and tokens.
///
/// Two integers rather than an array, so that identifiers hash, compare and travel without allocation.
package struct Bytes16: Hashable, Comparable, Sendable {
  private let high: UInt64
  private let low: UInt64

  /// The number of bytes.
  package static let count = 16

  /// Sixteen zero bytes.
  package static let zero = Bytes16(high: 0, low: 0)

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Takes exactly 16 bytes; any other number gives nil.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Self.count else { return nil }
    self.init(high: bigEndian(bytes.prefix(8)), low: bigEndian(bytes.dropFirst(8)))
  }

  /// The first 16 bytes of a digest.
  package init(truncating digest: Bytes32) {
    self.init(high: digest.words.0, low: digest.words.1)
  }

  /// The bytes in order.
  package var bytes: [UInt8] { appendBigEndian([high, low]) }

  /// Lower-case hexadecimal, 32 characters.
  package var hex: String { hexadecimal(bytes) }

  /// Compares as byte strings do.
  package static func < (left: Bytes16, right: Bytes16) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

/// Thirty-two bytes as a value: digests and public keys.
package struct Bytes32: Hashable, Comparable, Sendable {
  fileprivate let words: (UInt64, UInt64, UInt64, UInt64)

  /// The number of bytes.
  package static let count = 32

  /// Thirty-two zero bytes.
  package static let zero = Bytes32(words: (0, 0, 0, 0))

  private init(words: (UInt64, UInt64, UInt64, UInt64)) {
    self.words = words
  }

  /// Takes exactly 32 bytes; any other number gives nil.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Self.count else { return nil }
    var rest = bytes[...]
    func next() -> UInt64 {
      defer { rest = rest.dropFirst(8) }
      return bigEndian(rest.prefix(8))
    }
    self.init(words: (next(), next(), next(), next()))
  }

  /// The bytes in order.
  package var bytes: [UInt8] { appendBigEndian([words.0, words.1, words.2, words.3]) }

  /// Lower-case hexadecimal, 64 characters.
  package var hex: String { hexadecimal(bytes) }

  /// Compares as byte strings do.
  package static func < (left: Bytes32, right: Bytes32) -> Bool { left.words < right.words }

  package static func == (left: Bytes32, right: Bytes32) -> Bool { left.words == right.words }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }
}

private func bigEndian(_ bytes: some Collection<UInt8>) -> UInt64 {
  bytes.reduce(0) { $0 << 8 | UInt64($1) }
}

private func appendBigEndian(_ words: [UInt64]) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(words.count * 8)
  for word in words {
    for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
  }
  return bytes
}

/// Lower-case hexadecimal of any bytes.
package func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var text: [UInt8] = []
  for byte in bytes {
    text.append(digits[Int(byte >> 4)])
    text.append(digits[Int(byte & 15)])
  }
  return String(decoding: text, as: UTF8.self)
}
