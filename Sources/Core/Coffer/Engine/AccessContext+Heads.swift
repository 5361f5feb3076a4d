internal import CofferAgent
internal import CofferFormat
internal import CofferKeys
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Finds the heads of an item, and with them its winner.
extension AccessContext {
  /// Returns the heads of an item, or nil if it was never written. Throws `integrity` if rows are damaged and no valid
  /// head remains.
  func heads(
    of item: ItemID, in group: AccessibleGroup, _ reader: borrowing some StoreAccess & ~Copyable, withValues: Bool
  ) throws -> ItemHeads? {
    let rows = try reader.heads(of: item, in: group.id, withValues: withValues, verifiedBy: author.id)
    return try heads(of: item, rows: rows, in: group, reader, withValues: withValues)
  }

  /// Returns the heads among the rows that the store has marked as heads. As ``heads(of:in:_:withValues:)``.
  func heads(
    of item: ItemID, rows: [StoredRecord], in group: AccessibleGroup,
    _ reader: borrowing some StoreAccess & ~Copyable, withValues: Bool
  ) throws -> ItemHeads? {
    let verified = VerifiedRecords(rows, item: item, in: group, self)
    // The store may have marked a superseded version as a head too, so the bases are compared here.
    if let heads = ItemHeads(verified.heads) { return heads }
    if rows.isEmpty, try !reader.hasVersions(of: item, in: group.id) { return nil }
    return try headsOfAllVersions(of: item, in: group, reader, withValues: withValues, problem: verified.problem)
  }

  /// Computes the heads from the signed bytes of every version, if the marks in the rows cannot be right.
  private func headsOfAllVersions(
    of item: ItemID, in group: AccessibleGroup, _ reader: borrowing some StoreAccess & ~Copyable, withValues: Bool,
    problem: String?
  ) throws -> ItemHeads? {
    let rows = try reader.versions(of: item, in: group.id, withValues: withValues, verifiedBy: author.id)
    let verified = VerifiedRecords(rows, item: item, in: group, self)
    // An older version must not replace a newer one that is damaged.
    if let problem = problem ?? verified.problem { throw Self.damaged(problem, in: group) }
    let heads = verified.heads
    // Nor one whose row was moved to another item.
    for head in heads where try reader.isNamedByMissing(head.hash, of: item, in: group.id) {
      throw Self.damaged("the version that followed is not there", in: group)
    }
    return ItemHeads(heads)
  }

  /// Returns the heads for a write that replaces the item without reading it. Damaged versions are skipped; their
  /// hashes are returned, so that the write supersedes them too.
  func replaceableHeads(
    of item: ItemID, in group: AccessibleGroup, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> (heads: ItemHeads?, damaged: [RecordHash]?) {
    do {
      return (try heads(of: item, in: group, reader, withValues: false), nil)
    } catch let error as VaultError where error.code == .integrity {
      let rows = try reader.versions(of: item, in: group.id, withValues: false, verifiedBy: author.id)
      return (
        ItemHeads(VerifiedRecords(rows, item: item, in: group, self).heads),
        try reader.headHashes(of: item, in: group.id)
      )
    }
  }

  /// Returns what the next version follows: every head, the damaged versions that it replaces and, for heads that never
  /// left this machine, the bases of these heads that other machines know. The heads come last, and of these the
  /// winner.
  private func followed(
    by heads: ItemHeads?, damaged: [RecordHash], _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> [RecordHash] {
    let heads = (heads?.all ?? []).sorted { $1.wins(over: $0) }
    var followed: [RecordHash] = []
    for head in heads where head.header.isDeviceLocal {
      for base in head.header.bases {
        // Bases that never left this machine are left out. A tombstone that told other machines of the item's deletion
        // stays in, even if it is pruned here: it is still a head on those machines.
        if let row = try reader.record(base) {
          guard let record = try? row.record(), !record.header.isDeviceLocal else { continue }
        } else {
          guard try reader.isTombstone(base) else { continue }
        }
        followed.append(base)
      }
    }
    let hashes = heads.map(\.hash)
    var seen = Set(hashes)
    return (followed + damaged).filter { seen.insert($0).inserted } + hashes
  }

  /// Returns the bases of the next version, which follows every head and every damaged version. A record has no space
  /// for more than 16 bases: of more, tombstones cover the others. Such a tombstone wins over none of the heads, so
  /// that nobody who lacks the next version takes the item for deleted.
  func bases(
    after heads: ItemHeads?, damaged: [RecordHash]? = nil, isDeviceLocal: Bool, of item: ItemID,
    _ itemClass: ItemClass, in group: AccessibleGroup, _ writer: borrowing StoreWriter
  ) throws -> [RecordHash] {
    var open = try followed(by: heads, damaged: damaged ?? [], writer)[...]
    guard open.count > Limits.bases else { return Array(open) }
    var last: [RecordHash] = []
    let keys = try keyring.currentKeys(of: group.registered)
    // The times of damaged versions are unknown: nothing that an honest machine writes is before this.
    let known = damaged == nil ? heads?.all.map(\.header.time).min()?.previous : nil
    let time = known ?? Timestamp(microseconds: 0)
    while last.count + open.count > Limits.bases {
      let next = open.prefix(Limits.bases - last.count)
      open = open.dropFirst(next.count)
      let header = RecordHeader(
        vault: membership.vault, group: group.id, generation: keys.generation, item: item, itemClass: itemClass,
        content: .tombstone(successor: nil), isDeviceLocal: isDeviceLocal, bases: last + next,
        time: time, author: author.id, tokens: [])
      let cover = try Record(header: header, attributes: nil, value: [], keys: keys, sign: self.keys.sign)
      try insert(cover, writer)
      last = [cover.hash]
    }
    return last + open
  }
}

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
