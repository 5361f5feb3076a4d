internal import CofferFormat
internal import CofferStore
internal import CofferTrust
public import Foundation

/// One version of an item: what somebody wrote at some time.
public struct ItemVersion<Item: KeychainItem>: Hashable, Sendable {
  /// The names and attributes; nil for a version that deleted the item.
  public let item: Item?
  /// The access group's full name.
  public let group: String
  /// When it was written, by its writer's clock.
  public let written: Date
  /// Who wrote it, verified by its signature.
  public let writer: Writer
  /// True for the version that a look-up gives.
  public let isCurrent: Bool
  let groupID: GroupID
  let hash: RecordHash

  /// True for a version that deleted the item.
  public var isDeletion: Bool { item == nil }
}

/// The versions of an item that this machine still has.
public struct ItemHistory<Item: KeychainItem>: Sendable {
  /// Newest first, by their writers' clocks.
  public let versions: [ItemVersion<Item>]
  /// One error for each version that is damaged.
  public let damaged: [VaultError]
}

/// An item that machines changed at the same time. Nothing is lost: look-ups give the version that was written last, and
/// ``Vault/restore(_:)`` or the next write of the item ends the conflict.
public struct ItemConflict<Item: KeychainItem>: Sendable {
  /// The versions that do not know of each other; the current one first.
  public let versions: [ItemVersion<Item>]
}

extension Vault {
  /// The versions of an item, in the first of the groups searched that has any. Superseded ones are kept for 30 days.
  ///
  /// - Throws: ``VaultError``: `notEntitled`, `locked`.
  public func history<Item: KeychainItem>(
    of item: Item, in group: String? = nil
  ) throws(VaultError) -> ItemHistory<Item> {
    let attributes = ItemSearch.primaryKey(of: item)
    return try reading { reader, scope in
      for target in try scope.targets(named: group) {
        let id = try scope.keyring.currentKeys(of: target.group)
          .itemID(Item.itemClass, isSynchronizable: item.isSynchronizable, attributes: attributes)
        let rows = try reader.versions(
          of: id, in: target.group.id, withValues: false, verifiedBy: scope.author.id)
        guard !rows.isEmpty else { continue }
        var damaged: [VaultError] = []
        var records: [Record] = []
        for row in rows {
          let judged = JudgedRecords([row], item: id, in: target, scope)
          records += judged.valid
          if let problem = judged.problem { damaged.append(Scope.damaged(problem, in: target)) }
        }
        let current = try scope.replaceableHeads(of: id, in: target, reader).heads?.winner.hash
        var versions: [ItemVersion<Item>] = []
        for record in records {
          do throws(VaultError) {
            versions.append(try scope.version(record, in: target, isCurrent: record.hash == current))
          } catch {
            damaged.append(error)
          }
        }
        return ItemHistory(versions: versions, damaged: damaged)
      }
      return ItemHistory(versions: [], damaged: [])
    }
  }

  /// The items of a class that machines changed at the same time, in all of the app's groups or in one.
  public func conflicts<Item: KeychainItem>(
    _: Item.Type, in group: String? = nil
  ) throws(VaultError) -> [ItemConflict<Item>] {
    try reading { reader, scope in
      var conflicts: [ItemConflict<Item>] = []
      for target in try scope.targets(named: group) {
        for item in try reader.conflicts(in: target.group.id) {
          guard
            let heads = try scope.replaceableHeads(of: item, in: target, reader).heads, heads.hasConflict,
            heads.winner.header.itemClass == Item.itemClass
          else { continue }
          let ordered = heads.all.sorted { $0.wins(over: $1) }
          conflicts.append(
            ItemConflict(
              versions: try ordered.map { record throws(VaultError) in
                try scope.version(record, in: target, isCurrent: record.hash == heads.winner.hash)
              }))
        }
      }
      return conflicts
    }
  }

  /// The value of a version; nil for one that deleted the item.
  ///
  /// - Throws: ``VaultError``: `itemNotFound` where this machine keeps it no longer; `integrity` where it was altered.
  public func value<Item: KeychainItem>(of version: ItemVersion<Item>) throws(VaultError) -> Data? {
    try reading { reader, scope in
      let (record, target) = try scope.record(version.hash, in: version.groupID, reader)
      guard !record.header.isTombstone else { return nil }
      let found = try scope.open(record, in: target, withValue: true, hasConflict: false)
      try found.attributes.checkValueIsFree()
      return found.value.map { Data($0) }
    }
  }

  /// Makes an earlier version the current one, by writing its attributes and its value anew. Ends a conflict.
  ///
  /// - Throws: ``VaultError``: `itemNotFound` where this machine keeps it no longer; `invalidArgument` for a version that deleted
  ///   the item; and as ``set(_:for:in:)``.
  public func restore<Item: KeychainItem>(_ version: ItemVersion<Item>) throws(VaultError) {
    try writing { writer, scope in
      let (record, target) = try scope.record(version.hash, in: version.groupID, writer)
      guard !record.header.isTombstone else {
        throw VaultError(
          .invalidArgument, "this version deleted the item", mend: "restore one that has a value, or delete the item")
      }
      _ = try scope.writeTarget(named: target.name)
      let old = try scope.open(record, in: target, withValue: true, hasConflict: false)
      var attributes = old.attributes
      attributes[.modified] = .date(.now)
      let heads = try scope.replaceableHeads(of: old.item, in: target, writer).heads
      if let heads, heads.isLive {
        let current = try scope.open(heads.winner, in: target, withValue: false, hasConflict: false).attributes
        attributes[.persistentReference] = current[.persistentReference] ?? attributes[.persistentReference]
      }
      try scope.store(
        ItemDraft(itemClass: old.itemClass, attributes: attributes, value: old.value ?? []), as: old.item, over: heads,
        in: target, writer)
    }
  }
}

extension Scope {
  fileprivate func version<Item: KeychainItem>(
    _ record: Record, in target: Target, isCurrent: Bool
  ) throws(VaultError) -> ItemVersion<Item> {
    let item = try translatingErrors {
      try record.header.isTombstone
        ? nil : StoredItem<Item>(open(record, in: target, withValue: false, hasConflict: false)).item
    }
    return ItemVersion(
      item: item, group: target.name, written: record.header.time.date, writer: membership.writer(of: record),
      isCurrent: isCurrent, groupID: target.group.id, hash: record.hash)
  }

  /// A version by its identity, verified.
  fileprivate func record(
    _ hash: RecordHash, in group: GroupID, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> (Record, Target) {
    guard let target = targets.first(where: { $0.group.id == group }) else {
      throw VaultError(.notEntitled, "the version is of an access group that the app no longer has")
    }
    guard let row = try reader.record(hash, verifiedBy: author.id) else {
      throw VaultError(
        .itemNotFound, "this machine no longer keeps that version", mend: "superseded versions are kept for 30 days")
    }
    let record = try row.record()
    guard record.hash == hash else { throw Self.damaged("a row holds another version than it says", in: target) }
    let judged = JudgedRecords([row], item: record.header.item, in: target, self)
    if let problem = judged.problem { throw Self.damaged(problem, in: target) }
    guard let valid = judged.valid.first else {
      throw VaultError(
        .itemNotFound, "that version does not count any more", mend: "its author lost the right to write")
    }
    return (valid, target)
  }
}
