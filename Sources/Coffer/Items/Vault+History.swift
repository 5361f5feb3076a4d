internal import CofferFormat
internal import CofferStore
internal import CofferTrust
public import Foundation

extension Vault {
  /// The versions of an item, in the first of the groups searched that has any. Superseded ones are kept for 30 days.
  ///
  /// - Throws: ``VaultError``: `notEntitled`, `locked`.
  public func history<Item: KeychainItem>(
    of item: Item, in accessGroup: String? = nil
  ) throws(VaultError) -> ItemHistory<Item> {
    let attributes = ItemSearch.primaryKey(of: item)
    return try reading { reader, context in
      for group in try context.groups(named: accessGroup) {
        let id = try context.keyring.currentKeys(of: group.registered)
          .itemID(Item.itemClass, isSynchronizable: item.isSynchronizable, attributes: attributes)
        let rows = try reader.versions(
          of: id, in: group.id, withValues: false, verifiedBy: context.author.id)
        guard !rows.isEmpty else { continue }
        var damaged: [VaultError] = []
        var records: [Record] = []
        for row in rows {
          let verified = VerifiedRecords([row], item: id, in: group, context)
          records += verified.valid
          if let problem = verified.problem { damaged.append(AccessContext.damaged(problem, in: group)) }
        }
        let current = try context.replaceableHeads(of: id, in: group, reader).heads?.winner.hash
        var versions: [ItemVersion<Item>] = []
        for record in records {
          do throws(VaultError) {
            versions.append(try context.version(record, in: group, isCurrent: record.hash == current))
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
    _: Item.Type, in accessGroup: String? = nil
  ) throws(VaultError) -> [ItemConflict<Item>] {
    try reading { reader, context in
      var conflicts: [ItemConflict<Item>] = []
      for group in try context.groups(named: accessGroup) {
        for item in try reader.conflicts(in: group.id) {
          guard
            let heads = try context.replaceableHeads(of: item, in: group, reader).heads, heads.hasConflict,
            heads.winner.header.itemClass == Item.itemClass
          else { continue }
          let ordered = heads.all.sorted { $0.wins(over: $1) }
          conflicts.append(
            ItemConflict(
              versions: try ordered.map { record throws(VaultError) in
                try context.version(record, in: group, isCurrent: record.hash == heads.winner.hash)
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
    try reading { reader, context in
      let (record, group) = try context.record(version.hash, in: version.groupID, reader)
      guard !record.header.isTombstone else { return nil }
      let found = try context.open(record, in: group, withValue: true, hasConflict: false)
      try found.attributes.checkValueIsFree()
      return found.value.map { Data($0) }
    }
  }

  /// Makes an earlier version the current one, by writing its attributes and its value anew. Ends a conflict.
  ///
  /// - Throws: ``VaultError``: `itemNotFound` where this machine keeps it no longer; `invalidArgument` for a version that deleted
  ///   the item; and as ``set(_:for:in:)``.
  public func restore<Item: KeychainItem>(_ version: ItemVersion<Item>) throws(VaultError) {
    try writing { writer, context in
      let (record, group) = try context.record(version.hash, in: version.groupID, writer)
      guard !record.header.isTombstone else {
        throw VaultError(
          .invalidArgument, "this version deleted the item", mend: "restore one that has a value, or delete the item")
      }
      _ = try context.writableGroup(named: group.name)
      let old = try context.open(record, in: group, withValue: true, hasConflict: false)
      var attributes = old.attributes
      attributes[.modified] = .date(.now)
      let heads = try context.replaceableHeads(of: old.item, in: group, writer).heads
      if let heads, heads.isLive {
        let current = try context.open(heads.winner, in: group, withValue: false, hasConflict: false).attributes
        attributes[.persistentReference] = current[.persistentReference] ?? attributes[.persistentReference]
      }
      try context.store(
        ItemDraft(itemClass: old.itemClass, attributes: attributes, value: old.value ?? []), as: old.item, over: heads,
        in: group, writer)
    }
  }
}
