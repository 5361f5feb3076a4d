internal import Coffer
internal import CofferAdministration
internal import CofferPlatform
internal import CofferSystem

extension VaultStatus {
  package var itemCount: Int { groups.reduce(0) { $0 + $1.itemCount } }

  /// The number of items that machines have changed at the same time.
  package var conflictCount: Int { groups.reduce(0) { $0 + $1.conflictCount } }

  /// What the remote has, in words that need no knowledge of epochs:
  /// "12 kB of changes since the snapshot of 34 kB, made 2026-11-21 00:31:49 by laptop".
  package var remoteSizeWords: String {
    let changes = "\(Output.size(epochByteCount)) of changes"
    guard snapshotByteCount > 0 else { return changes }
    let made = epoch.begun.map { ", made \(Output.date($0))\(epoch.beginner.map { " by \($0)" } ?? "")" }
    return "\(changes) since the snapshot of \(Output.size(snapshotByteCount))\(made ?? "")"
  }
}

extension VaultStatus {
  /// The size of the epoch: "12 kB since its snapshot of 34 kB".
  package var epochSize: String {
    let size = Output.size(epochByteCount)
    return snapshotByteCount > 0 ? "\(size) since its snapshot of \(Output.size(snapshotByteCount))" : size
  }
}

extension Output {
  /// Returns a size in bytes, in the unit that fits.
  package static func size(_ byteCount: Int) -> String {
    byteCount.byteCountText
  }
}
