package import CofferCrypto

/// The hash of a checkpoint's signed part.
package struct CheckpointHash: ObjectHash {
  package let raw: Bytes32
  package init(_ raw: Bytes32) { self.raw = raw }

  /// What the checkpoint of the second epoch names as the one before it.
  package static let beforeFirst = CheckpointHash(.zero)
}
