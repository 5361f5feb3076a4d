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
