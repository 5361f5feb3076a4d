internal import Coffer
internal import CofferCrypto
internal import CofferFormat
package import CofferPlatform
internal import CofferStore
internal import CofferTrust
package import CofferVault

/// An epoch of the vault, as far as this machine's store knows it.
package struct VaultEpoch: Sendable, Hashable {
  /// The number, from 1.
  package let number: UInt32
  /// When it began, by the clock of the machine that began it; nil if its checkpoint is missing here, or not valid.
  package let begun: Date?
  /// The name of the machine that began it; nil as ``begun``.
  package let beginner: String?
  /// The number of chunks of the snapshot with which it began: 0 for the first epoch, which has none; nil as ``begun``.
  package let chunkCount: Int?

  /// The epoch that began with the vault.
  init(first membership: Membership) {
    number = EpochBranch.first.epoch
    begun = membership.genesis.created.date
    beginner = membership.name(of: DeviceID(vault: membership.vault, keys: membership.genesis.firstDevice))
    chunkCount = 0
  }

  /// Creates a later epoch from its checkpoint.
  init(_ number: UInt32, checkpoint bytes: [UInt8]?, _ membership: Membership) {
    self.number = number
    // The row can be changed by other programs of this user, and the log decides who signs checkpoints.
    guard let checkpoint = bytes.flatMap({ try? Checkpoint(bytes: $0) }), checkpoint.epoch == number,
      checkpoint.vault == membership.vault,
      membership.counts(.followedCheckpoint, by: checkpoint.device, isSigned: checkpoint.isSigned(by:))
    else {
      (begun, beginner, chunkCount) = (nil, nil, nil)
      return
    }
    begun = checkpoint.time.date
    beginner = membership.name(of: checkpoint.device)
    chunkCount = checkpoint.chunks.count
  }
}

extension StoreAccess where Self: ~Copyable {
  /// Returns the epoch that this machine follows.
  func currentEpoch(_ membership: Membership) throws(StoreError) -> VaultEpoch {
    try epoch(epochBranch().epoch, membership)
  }

  /// Returns the epochs until the one that this machine follows, newest first.
  func epochs(_ membership: Membership, limit: Int) throws(StoreError) -> [VaultEpoch] {
    let last = try epochBranch().epoch
    let first = Int64(last) - Int64(limit) + 1
    var epochs: [VaultEpoch] = []
    for number in stride(from: Int64(last), through: max(first, 1), by: -1) {
      epochs.append(try epoch(UInt32(number), membership))
    }
    return epochs
  }

  private func epoch(_ number: UInt32, _ membership: Membership) throws(StoreError) -> VaultEpoch {
    guard number >= Checkpoint.firstEpoch else { return VaultEpoch(first: membership) }
    return VaultEpoch(number, checkpoint: try object(.checkpoint(number)), membership)
  }
}

/// The epochs of a vault, and when the next one begins.
package struct EpochHistory: Sendable {
  /// The epochs, newest first. The first one is that of this machine.
  package let epochs: [VaultEpoch]
  /// The number of epochs before these.
  package let earlierCount: Int
  /// The size from which on an admin's machine begins the next one; nil as long as the epoch is smaller than that of
  /// any.
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
