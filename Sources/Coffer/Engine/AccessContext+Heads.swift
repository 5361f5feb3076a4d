internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferTrust

extension AccessContext {
  /// The heads of an item; nil where it was never written. Throws `integrity` where a row is damaged and none holds.
  func heads(
    of item: ItemID, in group: AccessibleGroup, _ reader: borrowing some StoreAccess & ~Copyable, withValues: Bool
  ) throws -> ItemHeads? {
    let rows = try reader.heads(of: item, in: group.id, withValues: withValues, verifiedBy: author.id)
    return try heads(of: item, rows: rows, in: group, reader, withValues: withValues)
  }

  /// The heads among the rows that the store gave as such.
  func heads(
    of item: ItemID, rows: [StoredRecord], in group: AccessibleGroup, _ reader: borrowing some StoreAccess & ~Copyable,
    withValues: Bool
  ) throws -> ItemHeads? {
    let verified = VerifiedRecords(rows, item: item, in: group, self)
    // A mark may also say of an older version that it is a head.
    if let heads = ItemHeads(verified.uncovered) { return heads }
    if rows.isEmpty, try !reader.hasVersions(of: item, in: group.id) { return nil }
    return try headsOfAllVersions(of: item, in: group, reader, withValues: withValues, problem: verified.problem)
  }

  /// The heads, where the marks in the rows cannot be true: from every version's signed bytes.
  private func headsOfAllVersions(
    of item: ItemID, in group: AccessibleGroup, _ reader: borrowing some StoreAccess & ~Copyable, withValues: Bool,
    problem: String?
  ) throws -> ItemHeads? {
    let rows = try reader.versions(of: item, in: group.id, withValues: withValues, verifiedBy: author.id)
    let verified = VerifiedRecords(rows, item: item, in: group, self)
    // An older version must not stand in for a newer one that is damaged.
    if let problem = problem ?? verified.problem { throw Self.damaged(problem, in: group) }
    let heads = verified.uncovered
    // Nor for one whose row has gone to another item.
    for head in heads where try reader.isNamedByMissing(head.hash, of: item, in: group.id) {
      throw Self.damaged("the version that followed is not there", in: group)
    }
    return ItemHeads(heads)
  }

  /// As ``heads(of:in:_:withValues:)``, for a write that replaces the item and need not read it: what is damaged is passed over.
  func replaceableHeads(
    of item: ItemID, in group: AccessibleGroup, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> (heads: ItemHeads?, isDamaged: Bool) {
    do {
      return (try heads(of: item, in: group, reader, withValues: false), false)
    } catch let error as VaultError where error.code == .integrity {
      let rows = try reader.versions(of: item, in: group.id, withValues: false, verifiedBy: author.id)
      return (ItemHeads(VerifiedRecords(rows, item: item, in: group, self).uncovered), true)
    }
  }

  /// What the next version names: every head, and of what heads of this machine only name in turn that which other machines
  /// know, since they do not know those.
  func bases(after heads: ItemHeads?, _ reader: borrowing some StoreAccess & ~Copyable) throws -> [RecordHash] {
    guard let heads else { return [] }
    var bases = Array(heads.all.map(\.hash).sorted().suffix(Limits.bases))
    for head in heads.all where head.header.isDeviceLocal {
      for base in head.header.bases where bases.count < Limits.bases && !bases.contains(base) {
        // Versions of this machine are not carried on: they would crowd the others out. The tombstone that told the others of
        // the item's end is, also when it is pruned here: they still hold it as a head.
        if let row = try reader.record(base) {
          guard let record = try? row.record(), !record.header.isDeviceLocal else { continue }
        } else {
          guard try reader.isTombstone(base) else { continue }
        }
        bases.append(base)
      }
    }
    return bases
  }

  static func damaged(_ problem: String, in group: AccessibleGroup) -> VaultError {
    VaultError(
      .integrity, "an item in \(group.name) is damaged: \(problem)",
      mend: "the other items are unharmed; restore the folder from a backup, or clone the vault again")
  }
}
