/// An Ed25519 signature, 64 bytes.
package struct Signature: Hashable, Sendable {
  /// The number of bytes.
  package static let count = 64
  package let bytes: [UInt8]

  /// Creates a signature from exactly 64 bytes; nil for any other number.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.bytes = bytes
  }

  init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}
