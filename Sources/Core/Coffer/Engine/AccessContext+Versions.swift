internal import CofferFormat
internal import CofferKeys
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Lists the versions of an item, finds conflicts, and restores a version.
extension AccessContext {
  /// Returns the versions of an item in one group, newest first, or nil if the group has none.
  func history(
    of item: ItemID, in group: AccessibleGroup, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> FoundHistory? {
    let rows = try reader.versions(of: item, in: group.id, withValues: false, verifiedBy: author.id)
    guard !rows.isEmpty else { return nil }
    var damaged: [VaultError] = []
    var records: [Record] = []
    for row in rows {
      let verified = VerifiedRecords([row], item: item, in: group, self)
      records += verified.valid
      if let problem = verified.problem { damaged.append(Self.damaged(problem, in: group)) }
    }
    let heads = try replaceableHeads(of: item, in: group, reader).heads
    let headHashes = Set(heads?.all.map(\.hash) ?? [])
    var versions: [FoundVersion] = []
    for record in records {
      do throws(VaultError) {
        versions.append(
          try version(
            record, in: group, isCurrent: record.hash == heads?.winner.hash, isHead: headHashes.contains(record.hash)))
      } catch {
        damaged.append(error)
      }
    }
    return FoundHistory(versions: versions, damaged: damaged)
  }

  /// Returns the items in one group that have several heads, each with these versions, the current one first, and the
  /// number of those of other classes than `itemClass`, if that is given. `damaged` receives the error of each damaged
  /// item.
  func conflicts(
    in group: AccessibleGroup, of itemClass: ItemClass? = nil, _ reader: borrowing some StoreAccess & ~Copyable,
    damaged: (VaultError) -> Void
  ) throws -> (items: [[FoundVersion]], otherCount: Int) {
    var conflicts: [[FoundVersion]] = []
    var otherCount = 0
    for item in try reader.conflicts(in: group.id) {
      guard let heads = try replaceableHeads(of: item, in: group, reader).heads, heads.hasConflict else { continue }
      guard itemClass.map({ $0 == heads.winner.header.itemClass }) ?? true else {
        otherCount += 1
        continue
      }
      do throws(VaultError) {
        conflicts.append(try versions(heads, in: group))
      } catch {
        guard error.code == .integrity else { throw error }
        damaged(error)
      }
    }
    return (conflicts, otherCount)
  }

  /// Returns the versions that the next write of an item sets aside, besides the current one. Empty if the item is not
  /// in conflict, and if a damaged version hides whether it is.
  func versionsInConflict(
    of item: ItemID, in group: AccessibleGroup, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> [FoundVersion] {
    do {
      guard let heads = try replaceableHeads(of: item, in: group, reader).heads, heads.hasConflict else { return [] }
      return Array(try versions(heads, in: group).dropFirst())
    } catch let error as VaultError where error.code == .integrity {
      return []
    }
  }

  /// Returns the opened heads of an item, the current one first.
  private func versions(_ heads: ItemHeads, in group: AccessibleGroup) throws(VaultError) -> [FoundVersion] {
    try heads.all.sorted { $0.wins(over: $1) }.map { record throws(VaultError) in
      try version(record, in: group, isCurrent: record.hash == heads.winner.hash, isHead: true)
    }
  }

  /// Returns the opened version that a record hash names; nil for a tombstone.
  func openVersion(
    _ hash: RecordHash, in group: GroupID, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> FoundItem? {
    let (record, group) = try record(hash, in: group, reader)
    return record.header.isTombstone ? nil : try open(record, in: group, withValue: true, hasConflict: false)
  }

  func itemID(
    of hash: RecordHash, in group: GroupID, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> ItemID {
    try record(hash, in: group, reader).0.header.item
  }

  /// Writes an earlier version's attributes and value as the next version, or deletes the item again. Ends a conflict.
  /// With `isUndo`, the version is restored as it was: with its date of modification and its place in lists. Throws
  /// `itemNotFound` if the version is no longer kept, and `invalidArgument` for the deletion of an item that is
  /// deleted.
  func restore(
    _ hash: RecordHash, in group: GroupID, isUndo: Bool = false, _ writer: borrowing StoreWriter
  ) throws {
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
    if !isUndo { attributes[.modified] = .date(.now) }
    // Under another identity key, which only root introduces, the item has another identifier.
    let item = try keyring.currentKeys(of: group.registered)
      .itemID(old.itemClass, isSynchronizable: attributes.isSynchronizable, attributes: attributes)
    let (heads, damaged) = try replaceableHeads(of: item, in: group, writer)
    // A protected value belongs to the reference that it was sealed for.
    if let heads, heads.isLive, !attributes.isPasswordProtected {
      let current = try usableAttributes(of: heads.winner, in: group)
      attributes[.persistentReference] = current?[.persistentReference] ?? attributes[.persistentReference]
    } else if !attributes.isPasswordProtected,
      try !findAll(
        ItemSearch(old.itemClass, reference: attributes.identifier, limit: 1), in: [group], writer, withValues: false,
        damaged: { _ in }
      ).isEmpty
    {
      // The item was renamed after this version, and has kept its reference.
      attributes[.persistentReference] = nil
      attributes.addPersistentReference()
    }
    try writeVersion(
      ItemDraft(itemClass: old.itemClass, attributes: attributes, value: old.value ?? []), of: item, over: heads,
      damaged: damaged, keepingPlaceOf: isUndo ? hash : nil, in: group, writer)
  }

  private func version(
    _ record: Record, in group: AccessibleGroup, isCurrent: Bool, isHead: Bool
  ) throws(VaultError) -> FoundVersion {
    let header = record.header
    let attributes = try translatingErrors {
      try header.isTombstone ? nil : open(record, in: group, withValue: false, hasConflict: false).attributes
    }
    let writer = membership.writer(of: record)
    return FoundVersion(
      itemClass: header.itemClass, attributes: attributes, group: group.name,
      address: ItemAddress(group: group.id, item: header.item), written: header.time,
      application: writer.application, device: writer.device, isCurrent: isCurrent, isHead: isHead,
      isDeviceLocal: header.isDeviceLocal,
      hash: record.hash, bases: header.bases)
  }

  /// Returns the verified record that a hash names, and its group.
  private func record(
    _ hash: RecordHash, in id: GroupID, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> (Record, AccessibleGroup) {
    guard let group = groups.first(where: { $0.id == id }) else {
      throw VaultError(
        .notEntitled, "the version is of an access group that the app no longer has",
        recoverySuggestion: "see the app's groups with: coffer app show APP")
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

extension LocalVault {
  /// Deletes superseded versions that are too old, at most 16 with each write, so that no single write becomes slow.
  func pruneHistory(_ writer: borrowing StoreWriter) throws {
    try writer.pruneHistory(supersededBefore: Self.historyStart, limit: 16)
  }
}
