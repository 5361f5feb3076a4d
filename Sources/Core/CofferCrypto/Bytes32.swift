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
