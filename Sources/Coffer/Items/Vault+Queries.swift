internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import Foundation

/// Items by queries.
extension Vault {
  /// Every item that a query finds, in memory at once, in no particular order. For many items see
  /// ``forEach(_:_:)`` and ``items(_:)``.
  ///
  /// - Throws: ``VaultError``: `notEntitled`, `locked`. A damaged item is no error: it is named in the list.
  public func list<Item: KeychainItem>(_ query: ItemQuery<Item>) throws(VaultError) -> ItemList<Item> {
    try reading { reader, scope in
      var damaged: [VaultError] = []
      let found = try scope.all(query.search, reader, withValues: false) { damaged.append($0) }
      return ItemList(items: found.map { StoredItem($0) }, damaged: damaged)
    }
  }

  /// Every item of a class, in all of the app's groups or in one.
  public func list<Item: KeychainItem>(
    _: Item.Type, in group: String? = nil
  ) throws(VaultError) -> ItemList<Item> {
    try list(ItemQuery<Item>(in: group))
  }

  /// The first item that a query finds; nil where there is none.
  public func first<Item: KeychainItem>(_ query: ItemQuery<Item>) throws(VaultError) -> StoredItem<Item>? {
    var search = query.search
    search.limit = min(search.limit ?? 1, 1)
    return try reading { reader, scope in
      try scope.all(search, reader, withValues: false).first.map { StoredItem($0) }
    }
  }

  /// Calls `body` with every item that a query finds, one after the other; some 256 of them are in memory at a time.
  ///
  /// `body` may use the vault. An item that is written meanwhile may be seen as it was or as it is, but never twice.
  ///
  /// - Returns: One error for each item that is damaged, at most 100 of them.
  /// - Throws: What `body` throws, which ends it, and ``VaultError`` as in ``list(_:)-(ItemQuery<Item>)``.
  @discardableResult
  public func forEach<Item: KeychainItem>(
    _ query: ItemQuery<Item>, _ body: (StoredItem<Item>) throws -> Void
  ) throws -> [VaultError] {
    var cursor = SearchCursor(query.search)
    var damaged: [VaultError] = []
    while !cursor.isFinished {
      let page = try page(&cursor)
      damaged += page.damaged.prefix(100 - min(damaged.count, 100))
      for item in page.items { try body(StoredItem(item)) }
    }
    return damaged
  }

  /// The next items of a search, in a transaction of their own.
  func page(_ cursor: inout SearchCursor, withValues: Bool = false) throws(VaultError) -> SearchPage {
    var next = cursor
    let page = try reading { reader, scope in try scope.page(&next, reader, withValues: withValues) }
    cursor = next
    return page
  }

  /// How many items a query finds.
  ///
  /// Without a condition they are counted from the store's index, whatever their number; otherwise their attributes are opened.
  public func count<Item: KeychainItem>(_ query: ItemQuery<Item>) throws(VaultError) -> Int {
    let search = query.search
    return try reading { reader, scope in
      if search.isUnconditional {
        var count = 0
        for target in try scope.targets(named: search.group) {
          let (live, conflicts) = try reader.itemCounts(in: target.group.id, of: search.itemClass)
          count += live
          guard conflicts > 0 else { continue }
          // Of an item with several heads one may be a deletion, and count.
          for item in try reader.conflicts(in: target.group.id) {
            guard let heads = try scope.heads(of: item, in: target, reader, withValues: false) else { continue }
            let isCounted = heads.all.contains { !$0.header.isTombstone && $0.header.itemClass == search.itemClass }
            if isCounted, !heads.isLive { count -= 1 }
          }
        }
        return min(count, search.limit ?? .max)
      }
      var count = 0
      var cursor = SearchCursor(search)
      while !cursor.isFinished { count += try scope.page(&cursor, reader, withValues: false).items.count }
      return count
    }
  }

  /// How many items of a class there are, in all of the app's groups or in one.
  public func count<Item: KeychainItem>(_: Item.Type, in group: String? = nil) throws(VaultError) -> Int {
    try count(ItemQuery<Item>(in: group))
  }

  /// Changes every item that a query finds, all or none. Parameters as in ``update(_:in:value:movingTo:_:)``.
  ///
  /// - Returns: How many were changed.
  /// - Throws: ``VaultError``: `duplicateItem` where two items would have the same primary key, and whatever `change` throws.
  @discardableResult
  public func update<Item: KeychainItem>(
    _ query: ItemQuery<Item>, value: (some SecretValue)? = [UInt8]?.none, movingTo newGroup: String? = nil,
    _ change: (inout Item) throws(VaultError) -> Void = { (_) throws(VaultError) in }
  ) throws(VaultError) -> Int {
    try writing { writer, scope in
      try scope.update(query.search, withValues: value == nil, movingTo: newGroup, writer) { old, draft in
        var item = Item(fields: ItemFields(old.attributes))
        try change(&item)
        draft.attributes = item.fields.attributes
        guard let value else { return }
        try old.attributes.checkValueIsFree()
        draft.value = value.secretBytes
      }
    }
  }

  /// Deletes every item that a query finds, all or none.
  ///
  /// - Returns: How many were deleted.
  @discardableResult
  public func delete<Item: KeychainItem>(_ query: ItemQuery<Item>) throws(VaultError) -> Int {
    try writing { writer, scope in try scope.delete(query.search, writer) }
  }
}
