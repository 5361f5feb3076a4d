/// Sixteen bytes as a value, for identifiers and tokens.
///
/// Stored as two integers instead of an array, so that identifiers are hashed, compared and copied without allocation.
package struct Bytes16: Hashable, Comparable, Sendable {
  private let high: UInt64
  private let low: UInt64

  package static let count = 16

  /// Sixteen zero bytes.
  package static let zero = Bytes16(high: 0, low: 0)

  private init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates a value from exactly 16 bytes; nil for any other number.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.init(in: bytes, at: 0)
  }

  /// Creates a value from exactly 16 bytes; nil for any other number.
  package init?(_ bytes: some Collection<UInt8>) { self.init(Array(bytes)) }

  /// Creates a value from exactly 16 bytes; nil for any other number.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.count else { return nil }
    unsafe self.init(high: word(0, of: bytes), low: word(1, of: bytes))
  }

  /// Creates a value from the 16 bytes that start at `position`. The array must contain them.
  package init(in bytes: [UInt8], at position: Int) {
    let words = bytes.words(at: position, count: 2)
    self.init(high: words.0, low: words.1)
  }

  /// Creates a value from the first 16 bytes of a digest.
  package init(truncating digest: Bytes32) {
    self.init(high: digest.words.0, low: digest.words.1)
  }

  /// The bytes in order.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.count)
    append(to: &bytes)
    return bytes
  }

  /// Appends the bytes in order.
  package func append(to bytes: inout [UInt8]) {
    bytes.append(bigEndian: high)
    bytes.append(bigEndian: low)
  }

  /// Calls `body` with the bytes in order, without allocating an array.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let words = (high.bigEndian, low.bigEndian)
    return try unsafe Swift.withUnsafeBytes(of: words) { (bytes) throws(Failure) in try unsafe body(bytes) }
  }

  /// Lower-case hexadecimal, 32 characters.
  package var hex: String { hexadecimal(bytes) }

  /// Compares lexicographically by bytes.
  package static func < (left: Bytes16, right: Bytes16) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}

/// Thirty-two bytes as a value, for digests and public keys.
package struct Bytes32: Hashable, Comparable, Sendable {
  let words: (UInt64, UInt64, UInt64, UInt64)

  package static let count = 32

  /// Thirty-two zero bytes.
  package static let zero = Bytes32(words: (0, 0, 0, 0))

  private init(words: (UInt64, UInt64, UInt64, UInt64)) {
    self.words = words
  }

  /// Creates a value from exactly 32 bytes; nil for any other number.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.init(in: bytes, at: 0)
  }

  /// Creates a value from exactly 32 bytes; nil for any other number.
  package init?(_ bytes: some Collection<UInt8>) { self.init(Array(bytes)) }

  /// Creates a value from exactly 32 bytes; nil for any other number.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == Self.count else { return nil }
    unsafe self.init(words: (word(0, of: bytes), word(1, of: bytes), word(2, of: bytes), word(3, of: bytes)))
  }

  /// Creates a value from the 32 bytes that start at `position`. The array must contain them.
  package init(in bytes: [UInt8], at position: Int) {
    self.init(words: bytes.words(at: position, count: 4))
  }

  /// The bytes in order.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.count)
    append(to: &bytes)
    return bytes
  }

  /// Appends the bytes in order.
  package func append(to bytes: inout [UInt8]) {
    bytes.append(bigEndian: words.0)
    bytes.append(bigEndian: words.1)
    bytes.append(bigEndian: words.2)
    bytes.append(bigEndian: words.3)
  }

  /// Calls `body` with the bytes in order, without allocating an array.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let words = (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
    return try unsafe Swift.withUnsafeBytes(of: words) { (bytes) throws(Failure) in try unsafe body(bytes) }
  }

  /// Lower-case hexadecimal, 64 characters.
  package var hex: String { hexadecimal(bytes) }

  /// Compares lexicographically by bytes.
  package static func < (left: Bytes32, right: Bytes32) -> Bool { left.words < right.words }

  package static func == (left: Bytes32, right: Bytes32) -> Bool { left.words == right.words }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
    hasher.combine(words.2)
    hasher.combine(words.3)
  }
}

// Bytes are read and written as whole words: each record contains about thirty identifiers, and the generic byte
// algorithms of the standard library took half of the time of a look-up.

/// Returns the big-endian word at `index`. Safe: the callers have checked the size.
func word(_ index: Int, of bytes: UnsafeRawBufferPointer) -> UInt64 {
  unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
}

extension [UInt8] {
  /// Returns up to four big-endian words from `position` on. The remaining ones of the four are zero.
  func words(at position: Int, count: Int) -> (UInt64, UInt64, UInt64, UInt64) {
    precondition(position >= 0 && position <= self.count - count * 8, "the array is too short for the words")
    return unsafe withUnsafeBytes { buffer in
      func word(_ index: Int) -> UInt64 {
        guard index < count else { return 0 }
        return unsafe UInt64(bigEndian: buffer.loadUnaligned(fromByteOffset: position + index * 8, as: UInt64.self))
      }
      return (word(0), word(1), word(2), word(3))
    }
  }

  mutating func append(bigEndian word: UInt64) {
    unsafe Swift.withUnsafeBytes(of: word.bigEndian) { unsafe append(contentsOf: $0) }
  }
}
