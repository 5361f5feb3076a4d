internal import CofferStore
package import CofferVault

/// The epochs of a vault, and when the next one begins.
package struct EpochHistory: Sendable {
  /// The epochs, newest first. The first one is that of this machine.
  package let epochs: [VaultEpoch]
  /// The number of epochs before these.
  package let earlierCount: Int
  /// The size from which on an admin's machine begins the next one.
  package let limit: EpochLimit

  /// Reads the epochs. It takes a look at every item, for the size of a snapshot.
  ///
  /// - Parameters:
  ///   - local: The vault.
  ///   - count: The maximum number of epochs.
  /// - Returns: The epochs.
  /// - Throws: ``VaultError``: `integrity` or `io` if the store cannot be read.
  package static func read(from local: LocalVault, limit count: Int = 50) throws(VaultError) -> EpochHistory {
    try translatingErrors {
      try local.store.read { reader in
        let epochs = try reader.epochs(local.membership(in: reader), limit: count)
        return EpochHistory(
          epochs: epochs, earlierCount: Int(epochs.last?.number ?? 1) - 1,
          limit: EpochLimit(snapshotByteCount: try reader.snapshotByteCount()))
      }
    }
  }
}
