package import CofferCrypto

/// A chunk of a snapshot, as the store knows it.
package struct StoredChunk: Hashable, Sendable {
  package let number: UInt32
  /// The hash that the checkpoint names.
  package let hash: Bytes32
  /// The identifier of the file on the remote: nil if the remote does not have the chunk, empty if it is unknown.
  package let published: [UInt8]?
}
