package import CofferFormat

/// A checkpoint, as the store knows it.
package struct StoredCheckpoint: Hashable, Sendable {
  package let epoch: UInt32
  package let hash: CheckpointHash
  /// The identifier of the file on the remote: nil if the remote does not have the checkpoint, empty if it is unknown.
  package let published: [UInt8]?
}
