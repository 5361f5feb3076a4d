internal import Coffer
internal import CofferStore
package import CofferVault

/// The epochs of a vault, and when the next one begins.
package struct EpochHistory: Sendable {
  /// The epochs, newest first. The first one is that of this machine.
  package let epochs: [VaultEpoch]
  /// The number of epochs before these.
  package let earlierCount: Int
  /// The size from which on an admin's machine begins the next one; nil as long as the epoch is smaller than that of any.
  package let limit: EpochLimit?

  package static func read(from local: LocalVault, limit count: Int = 50) throws(VaultError) -> EpochHistory {
    try translatingErrors {
      try local.store.read { reader in
        let epochs = try reader.epochs(local.membership(in: reader), limit: count)
        // The size of a snapshot takes a look at every item.
        let mayBeLarge = try reader.publishedSegmentByteCount() > EpochLimit.standardByteCount
        return EpochHistory(
          epochs: epochs, earlierCount: Int(epochs.last?.number ?? 1) - 1,
          limit: mayBeLarge ? EpochLimit(try reader.snapshotByteCounts()) : nil)
      }
    }
  }
}
