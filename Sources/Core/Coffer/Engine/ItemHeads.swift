internal import CofferFormat

/// The heads of an item: its valid versions that no other valid version names as a base. There is at least one.
struct ItemHeads {
  /// The version that a search returns: the head with the greatest time, author and hash.
  let winner: Record
  /// Every head, including the winner.
  let all: [Record]

  /// Whether machines have changed the item at the same time.
  var hasConflict: Bool { all.count > 1 }

  /// Whether the winner is not a tombstone.
  var isLive: Bool { !winner.header.isTombstone }

  /// Whether other machines have no live version of the item.
  var isDeviceLocal: Bool { all.allSatisfy { $0.header.isDeviceLocal || $0.header.isTombstone } }

  /// Whether no head has left this machine, so that other machines need no tombstone.
  var isOnlyDeviceLocal: Bool { all.allSatisfy(\.header.isDeviceLocal) }

  /// Chooses the winner. Returns nil for an empty list.
  init?(_ heads: [Record]) {
    guard let first = heads.first else { return nil }
    winner = heads.dropFirst().reduce(first) { $1.wins(over: $0) ? $1 : $0 }
    all = heads
  }
}
