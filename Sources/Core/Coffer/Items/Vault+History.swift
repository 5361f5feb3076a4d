package import CofferFormat
internal import CofferKeys
public import CofferPlatform
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Calls for the versions of an item and for conflicts.
extension Vault {
  /// Returns the versions of an item that this machine has. Superseded versions are kept for 30 days, if this machine
  /// has received them: a snapshot, with which a later branch of the repository begins, has none.
  ///
  /// - Parameters:
  ///   - item: The item, by its primary key.
  ///   - accessGroup: The access group to search. If nil, the app's groups are searched in order, and the versions in
  ///     the first group that has any are returned.
  /// - Returns: The versions, newest first.
  /// - Throws: ``VaultError``: `notEntitled`, `locked`.
  public func history<Item: KeychainItem>(
    of item: Item, in accessGroup: String? = nil
  ) throws(VaultError) -> ItemHistory<Item> {
    ItemHistory([try history(of: ItemQuery<Item>(in: accessGroup).naming(item).search)])
  }

  /// Returns the versions of the item whose primary key a search has, in the first group that has any. With `isLive`,
  /// in the first group that has the item: groups from which it was moved or deleted are skipped. A broker ignores it.
  package func history(of search: ItemSearch, isLive: Bool = false) throws(VaultError) -> FoundHistory {
    if let found = try broker?.history(of: search) { return FoundHistory(versions: found.0, damaged: found.1) }
    return try reading { reader, context in
      for group in try context.groups(named: search.group) {
        for item in search.itemIDs(try context.keyring.currentKeys(of: group.registered)) ?? [] {
          guard let history = try context.history(of: item, in: group, reader) else { continue }
          if !isLive || history.versions.contains(where: { $0.isCurrent && $0.attributes != nil }) { return history }
        }
      }
      return FoundHistory(versions: [], damaged: [])
    }
  }

  /// Returns the items of a class that machines have changed at the same time.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - accessGroup: The access group to search; all of the app's groups if nil.
  /// - Returns: The items with their concurrent versions. Damaged ones are left out: ``list(_:in:)`` names them.
  /// - Throws: ``VaultError``: `notEntitled`, `locked`.
  public func conflicts<Item: KeychainItem>(
    _ type: Item.Type, in accessGroup: String? = nil
  ) throws(VaultError) -> [ItemConflict<Item>] {
    try conflicts(type, in: accessGroup, damaged: { _ in }).items
  }

  /// Returns the items of a class that machines have changed at the same time, as ``conflicts(_:in:)``. Searches all of
  /// the app's groups if `accessGroup` is nil. Also returns the number of those of other classes. `damaged` receives
  /// the error of each damaged item.
  package func conflicts<Item: KeychainItem>(
    _ type: Item.Type, in accessGroup: String?, damaged: (VaultError) -> Void
  ) throws(VaultError) -> (items: [ItemConflict<Item>], otherCount: Int) {
    let (items, otherCount) = try conflicts(of: Item.itemClass, in: accessGroup, damaged: damaged)
    return (items.map { ItemConflict(versions: $0.map { ItemVersion($0, isInConflict: true) }) }, otherCount)
  }

  /// Returns the versions in conflict of each item of a class, as ``conflicts(_:in:damaged:)``.
  package func conflicts(
    of itemClass: ItemClass, in accessGroup: String?, damaged: (VaultError) -> Void
  ) throws(VaultError) -> (items: [[FoundVersion]], otherCount: Int) {
    if let broker { return (try broker.conflicts(of: itemClass, in: accessGroup), 0) }
    return try reading { reader, context in
      let found = try context.groups(named: accessGroup).map { group in
        try context.conflicts(in: group, of: itemClass, reader, damaged: damaged)
      }
      return (found.flatMap(\.items), found.reduce(0) { $0 + $1.otherCount })
    }
  }

  /// Returns the versions of an item, newest first in each group, in every group that is searched, also of its twin
  /// that differs in `isSynchronizable`. Only the item's primary key counts. Searches all of the app's groups if
  /// `accessGroup` is nil.
  package func histories<Item: KeychainItem>(
    of item: Item, in accessGroup: String?
  ) throws(VaultError) -> ItemHistory<Item> {
    try reading { reader, context in
      let search = ItemSearch(Item.itemClass, attributes: ItemSearch.primaryKey(of: item))
      return ItemHistory(
        try context.groups(named: accessGroup).flatMap { group in
          try (search.itemIDs(context.keyring.currentKeys(of: group.registered)) ?? [])
            .compactMap { try context.history(of: $0, in: group, reader) }
        })
    }
  }

  /// Returns the versions that a write of an item sets aside, besides the current one, because machines have changed it
  /// at the same time; empty if it is not in conflict. Only the item's primary key counts. The write is to the app's
  /// default group if `accessGroup` is nil.
  package func versionsInConflict<Item: KeychainItem>(
    of item: Item, in accessGroup: String?
  ) throws(VaultError) -> [ItemVersion<Item>] {
    try reading { reader, context in
      let group = try context.writableGroup(named: accessGroup)
      let id = try context.keyring.currentKeys(of: group.registered).itemID(
        Item.itemClass, isSynchronizable: item.isSynchronizable, attributes: ItemSearch.primaryKey(of: item))
      return try context.versionsInConflict(of: id, in: group, reader).map { ItemVersion($0, isInConflict: true) }
    }
  }

  /// Returns the value of a version, or nil for a version that deleted the item.
  ///
  /// - Parameter version: A version from ``history(of:in:)`` or ``conflicts(_:in:)``.
  /// - Returns: The value, or nil.
  /// - Throws: ``VaultError``: `itemNotFound` if this machine no longer keeps the version; `integrity` if it was
  ///   altered; `locked`; `notEntitled`.
  public func value<Item: KeychainItem>(of version: ItemVersion<Item>) throws(VaultError) -> Data? {
    try bytes(of: version).map { Data($0) }
  }

  /// Returns the value of a version, as ``value(of:)``, to a caller that wipes the only copy.
  package func bytes<Item: KeychainItem>(of version: ItemVersion<Item>) throws(VaultError) -> [UInt8]? {
    try checkValuesMayLeave()
    let found = try opened(version.hash, in: version.groupID)
    try found?.attributes.checkNotPasswordProtected()
    return found?.value
  }

  /// Returns a version with its value; nil for a version that deleted the item.
  package func opened(_ hash: RecordHash, in group: GroupID) throws(VaultError) -> FoundItem? {
    if let broker { return try broker.version(hash, in: group) }
    return try reading { reader, context in try context.openVersion(hash, in: group, reader) }
  }

  /// Returns in what two versions of an item differ. Their values are compared, and not returned.
  ///
  /// - Parameters:
  ///   - first: A version from ``history(of:in:)`` or ``conflicts(_:in:)``.
  ///   - second: Another one.
  /// - Returns: The differences: the value first, then attributes in ascending order of their codes.
  /// - Throws: ``VaultError``: `itemNotFound` if this machine no longer keeps one of them; `integrity` if one was
  ///   altered; `locked`; `notEntitled`.
  public func differences<Item: KeychainItem>(
    between first: ItemVersion<Item>, and second: ItemVersion<Item>
  ) throws(VaultError) -> [ItemDifference] {
    ItemDifference.all(
      between: try opened(first.hash, in: first.groupID), and: try opened(second.hash, in: second.groupID))
  }

  /// Makes an earlier version the current one, by writing its attributes and its value again. A version that deleted
  /// the item deletes it again. Ends a conflict.
  ///
  /// - Parameter version: A version from ``history(of:in:)`` or ``conflicts(_:in:)``.
  /// - Throws: ``VaultError``: `itemNotFound` if this machine no longer keeps the version; `invalidArgument` for the
  ///   deletion of an item that is deleted and not in conflict; `notEntitled`; `locked`; and the errors of writing.
  public func restore<Item: KeychainItem>(_ version: ItemVersion<Item>) throws(VaultError) {
    try restore(version.hash, in: version.groupID)
  }

  /// Makes a version the current one, as ``restore(_:)-(ItemVersion<Item>)``.
  package func restore(_ hash: RecordHash, in group: GroupID) throws(VaultError) {
    if let broker { return try broker.restore(hash, in: group) }
    try writing { writer, context in try context.restore(hash, in: group, writer) }
  }
}
