package import CofferCrypto

/// The slot of a root after the first, as the store knows it.
package struct StoredRootSlot: Hashable, Sendable {
  /// The hash that the succession names.
  package let hash: Bytes32
  /// The object's bytes. The caller compares them with the hash.
  package let bytes: [UInt8]
  /// The identifier of the file on the remote; nil if the remote does not have the slot.
  package let published: [UInt8]?
}
