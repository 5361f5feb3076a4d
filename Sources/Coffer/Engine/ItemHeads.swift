internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferTrust

/// The versions of one item that nothing supersedes, verified. Rows are hints: what counts is what was signed.
struct ItemHeads {
  /// The head that counts.
  let winner: Record
  /// Every valid head, the winner among them.
  let all: [Record]

  var hasConflict: Bool { all.count > 1 }

  /// False where the item is gone.
  var isLive: Bool { !winner.header.isTombstone }

  /// True where nothing of the item that others could hold is live.
  var isDeviceLocal: Bool { all.allSatisfy { $0.header.isDeviceLocal || $0.header.isTombstone } }

  init?(_ heads: [Record]) {
    guard let first = heads.first else { return nil }
    winner = heads.dropFirst().reduce(first) { $1.wins(over: $0) ? $1 : $0 }
    all = heads
  }
}

extension ItemHeads {
  /// True where every version is of this machine only, so that no other needs to learn of its end.
  var isOnlyDeviceLocal: Bool { all.allSatisfy(\.header.isDeviceLocal) }
}
