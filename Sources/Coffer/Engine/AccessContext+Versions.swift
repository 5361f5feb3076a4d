internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Lists the versions of an item, finds conflicts, and restores a version.
extension AccessContext {
  /// Returns the versions of an item in one group, newest first, or nil if the group has none.
  func history<Item: KeychainItem>(
    of item: ItemID, in group: AccessibleGroup, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> ItemHistory<Item>? {
    let rows = try reader.versions(of: item, in: group.id, withValues: false, verifiedBy: author.id)
    guard !rows.isEmpty else { return nil }
    var damaged: [VaultError] = []
    var records: [Record] = []
    for row in rows {
      let verified = VerifiedRecords([row], item: item, in: group, self)
      records += verified.valid
      if let problem = verified.problem { damaged.append(Self.damaged(problem, in: group)) }
    }
    let current = try replaceableHeads(of: item, in: group, reader).heads?.winner.hash
    var versions: [ItemVersion<Item>] = []
    for record in records {
      do throws(VaultError) {
        versions.append(try version(record, in: group, isCurrent: record.hash == current))
      } catch {
        damaged.append(error)
      }
    }
    return ItemHistory(versions: versions, damaged: damaged)
  }

  /// Returns the items of one class in one group that have several heads.
  func conflicts<Item: KeychainItem>(
    in group: AccessibleGroup, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> [ItemConflict<Item>] {
    var conflicts: [ItemConflict<Item>] = []
    for item in try reader.conflicts(in: group.id) {
      guard
        let heads = try replaceableHeads(of: item, in: group, reader).heads, heads.hasConflict,
        heads.winner.header.itemClass == Item.itemClass
      else { continue }
      conflicts.append(ItemConflict(versions: try versions(heads, in: group)))
    }
    return conflicts
  }

  /// Returns the versions that the next write of an item sets aside, besides the current one. Empty if the item is not in
  /// conflict, and if a damaged version hides whether it is.
  func versionsInConflict<Item: KeychainItem>(
    of item: ItemID, in group: AccessibleGroup, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> [ItemVersion<Item>] {
    do {
      guard let heads = try replaceableHeads(of: item, in: group, reader).heads, heads.hasConflict else { return [] }
      return Array(try versions(heads, in: group).dropFirst())
    } catch let error as VaultError where error.code == .integrity {
      return []
    }
  }

  /// Returns the opened heads of an item, the current one first.
  private func versions<Item: KeychainItem>(
    _ heads: ItemHeads, in group: AccessibleGroup
  ) throws(VaultError) -> [ItemVersion<Item>] {
    try heads.all.sorted { $0.wins(over: $1) }.map { record throws(VaultError) in
      try version(record, in: group, isCurrent: record.hash == heads.winner.hash)
    }
  }

  /// Returns the opened version that a record hash names; nil for a tombstone.
  func openVersion(
    _ hash: RecordHash, in group: GroupID, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> FoundItem? {
    let (record, group) = try record(hash, in: group, reader)
    return record.header.isTombstone ? nil : try open(record, in: group, withValue: true, hasConflict: false)
  }

  /// Writes an earlier version's attributes and value as the next version, or deletes the item again. Ends a conflict.
  func restore(_ hash: RecordHash, in group: GroupID, _ writer: borrowing StoreWriter) throws {
    let (record, group) = try record(hash, in: group, writer)
    _ = try writableGroup(named: group.name)
    if record.header.isTombstone {
      let (heads, damaged) = try replaceableHeads(of: record.header.item, in: group, writer)
      guard damaged != nil || heads?.all.map(\.hash) != [record.hash] else {
        throw VaultError(
          .invalidArgument, "this version deleted the item, which is deleted",
          recoverySuggestion: "restore one that has a value")
      }
      _ = try writeTombstone(
        record.header.item, of: record.header.itemClass, over: heads, damaged: damaged, in: group, writer)
      return
    }
    let old = try open(record, in: group, withValue: true, hasConflict: false)
    var attributes = old.attributes
    attributes[.modified] = .date(.now)
    let heads = try replaceableHeads(of: old.item, in: group, writer).heads
    // A protected value belongs to the reference that it was sealed for.
    if let heads, heads.isLive, !attributes.isPasswordProtected {
      let current = try open(heads.winner, in: group, withValue: false, hasConflict: false).attributes
      attributes[.persistentReference] = current[.persistentReference] ?? attributes[.persistentReference]
    }
    try writeVersion(
      ItemDraft(itemClass: old.itemClass, attributes: attributes, value: old.value ?? []), of: old.item, over: heads,
      in: group, writer)
  }

  private func version<Item: KeychainItem>(
    _ record: Record, in group: AccessibleGroup, isCurrent: Bool
  ) throws(VaultError) -> ItemVersion<Item> {
    let item = try translatingErrors {
      try record.header.isTombstone
        ? nil : StoredItem<Item>(open(record, in: group, withValue: false, hasConflict: false)).item
    }
    return ItemVersion(
      item: item, accessGroup: group.name, written: record.header.time.date, writer: membership.writer(of: record),
      isCurrent: isCurrent, groupID: group.id, hash: record.hash)
  }

  /// Returns the verified record that a hash names, and its group.
  private func record(
    _ hash: RecordHash, in id: GroupID, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> (Record, AccessibleGroup) {
    guard let group = groups.first(where: { $0.id == id }) else {
      throw VaultError(.notEntitled, "the version is of an access group that the app no longer has")
    }
    guard let row = try reader.record(hash, verifiedBy: author.id) else {
      throw VaultError(
        .itemNotFound, "this machine no longer keeps that version",
        recoverySuggestion: "choose a later version; superseded versions are kept for 30 days")
    }
    let record = try row.record()
    guard record.hash == hash else {
      throw Self.damaged("a row contains another version than its hash names", in: group)
    }
    let verified = VerifiedRecords([row], item: record.header.item, in: group, self)
    if let problem = verified.problem { throw Self.damaged(problem, in: group) }
    guard let valid = verified.valid.first else {
      throw VaultError(
        .itemNotFound, "that version is no longer valid",
        recoverySuggestion: "choose another version; the author of this one lost the right to write")
    }
    return (valid, group)
  }
}
