internal import Coffer
internal import CofferAdministration
internal import CofferPlatform
internal import CofferSystem

extension VaultStatus {
  package var itemCount: Int { groups.reduce(0) { $0 + $1.itemCount } }

  /// The number of items that machines have changed at the same time.
  package var conflictCount: Int { groups.reduce(0) { $0 + $1.conflictCount } }

  /// The epoch with its size, and when and by which machine it was begun:
  /// "2, with 12 kB since its snapshot of 34 kB, begun 2026-11-21 00:31:49 by laptop".
  package var epochWords: String {
    var words = "\(epoch.number), with \(epochSize)"
    if let begun = epoch.begun { words += ", begun \(Output.date(begun))\(epoch.beginner.map { " by \($0)" } ?? "")" }
    return words
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
