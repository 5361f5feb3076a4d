internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Calls that take a query.
extension Vault {
  /// Returns all items that a query finds, without their values. They are all in memory at once: for many items use
  /// ``forEach(_:_:)`` or ``items(_:)``.
  ///
  /// Lists of items begin with the item that was created first, whatever its group. Items that were created at the same
  /// time are in the order in which they arrived on this machine.
  ///
  /// - Parameter query: The items to find.
  /// - Returns: The items, and one error for each damaged item.
  /// - Throws: ``VaultError``: `notEntitled`, `locked`. A damaged item is not an error: the list names it.
  public func list<Item: KeychainItem>(_ query: ItemQuery<Item>) throws(VaultError) -> ItemList<Item> {
    var damaged: [VaultError] = []
    let found = try list(query.search) { damaged.append($0) }
    return ItemList(items: found.map { StoredItem($0) }, damaged: damaged)
  }

  /// Returns all items of a class, without their values.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - accessGroup: The access group to search; all of the app's groups if nil.
  /// - Returns: The items, and one error for each damaged item.
  /// - Throws: ``VaultError``: `notEntitled`, `locked`. A damaged item is not an error: the list names it.
  public func list<Item: KeychainItem>(
    _ type: Item.Type, in accessGroup: String? = nil
  ) throws(VaultError) -> ItemList<Item> {
    try list(ItemQuery<Item>(in: accessGroup))
  }

  /// Returns the oldest item that a query finds, without its value, or nil if it finds none.
  ///
  /// - Parameter query: The items to find.
  /// - Returns: The item, or nil.
  /// - Throws: ``VaultError``: `notEntitled`, `locked`, `integrity`.
  public func first<Item: KeychainItem>(_ query: ItemQuery<Item>) throws(VaultError) -> StoredItem<Item>? {
    var search = query.search
    search.limit = min(search.limit ?? 1, 1)
    return try list(search).first.map { StoredItem($0) }
  }

  /// Calls `body` with each item that a query finds, oldest first. At most 256 items are in memory at a time.
  ///
  /// `body` may use the vault. An item that is written during the call is passed with its old or its new content, but
  /// never twice.
  ///
  /// - Parameters:
  ///   - query: The items to find.
  ///   - body: Receives each item without its value.
  /// - Returns: One error for each damaged item, at most 100.
  /// - Throws: ``VaultError``: `notEntitled`, `locked`; and what `body` throws, which ends the call.
  @discardableResult
  public func forEach<Item: KeychainItem>(
    _ query: ItemQuery<Item>, _ body: (StoredItem<Item>) throws -> Void
  ) throws -> [VaultError] {
    var cursor = SearchCursor(query.search, spansTransactions: true)
    var damaged: [VaultError] = []
    while !cursor.isFinished {
      let page = try page(&cursor)
      damaged += page.damaged.prefix(100 - min(damaged.count, 100))
      for item in page.items { try body(StoredItem(item)) }
    }
    return damaged
  }

  /// Returns the next items of a search, in a separate transaction.
  package func page(_ cursor: inout SearchCursor, withValues: Bool = false) throws(VaultError) -> SearchPage {
    if withValues { try checkValuesMayLeave() }
    if broker != nil {
      var damaged: [VaultError] = []
      let items = try list(cursor.search, withValues: withValues) { damaged.append($0) }
      cursor.isFinished = true
      return SearchPage(items: items, damaged: damaged)
    }
    var next = cursor
    let page = try reading { reader, context in try context.page(&next, reader, withValues: withValues) }
    cursor = next
    return page
  }

  /// Returns the number of items that a query finds.
  ///
  /// A query without conditions is counted by the store's index. For any other, the attributes of the candidates are
  /// opened.
  ///
  /// - Parameter query: The items to count.
  /// - Returns: The number of items.
  /// - Throws: ``VaultError``: `notEntitled`, `locked`.
  public func count<Item: KeychainItem>(_ query: ItemQuery<Item>) throws(VaultError) -> Int {
    let search = query.search
    if broker != nil { return try list(search, damaged: { _ in }).count }
    return try reading { reader, context in
      if search.isUnconditional {
        return min(try context.countAll(of: search.itemClass, in: search.group, reader), search.limit ?? .max)
      }
      var count = 0
      var cursor = SearchCursor(search, spansTransactions: false)
      while !cursor.isFinished { count += try context.page(&cursor, reader, withValues: false).items.count }
      return count
    }
  }

  /// Returns the number of items of a class.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - accessGroup: The access group to count in; all of the app's groups if nil.
  /// - Returns: The number of items.
  /// - Throws: ``VaultError``: `notEntitled`, `locked`.
  public func count<Item: KeychainItem>(_ type: Item.Type, in accessGroup: String? = nil) throws(VaultError) -> Int {
    try count(ItemQuery<Item>(in: accessGroup))
  }

  /// Changes the attributes of all items that a query finds, or of none if an error is thrown. Values are kept.
  ///
  /// - Parameters:
  ///   - query: The items to change.
  ///   - newGroup: The access group to move the items to; nil leaves them in their group.
  ///   - change: Receives each stored item and changes it. An attribute that is set to nil is removed.
  /// - Returns: The number of items.
  /// - Throws: ``VaultError``: `duplicateItem` if two items would have the same primary key; `notEntitled`; `locked`;
  ///   `integrity`; the errors of writing; and what `change` throws. Nothing has changed then.
  @discardableResult
  public func update<Item: KeychainItem>(
    _ query: ItemQuery<Item>, movingTo newGroup: String? = nil,
    _ change: (inout Item) throws(VaultError) -> Void = { (_) throws(VaultError) in }
  ) throws(VaultError) -> Int {
    try update(query, bytes: nil, movingTo: newGroup, change)
  }

  /// Changes the value and, if needed, the attributes of all items that a query finds, or of none if an error is
  /// thrown.
  ///
  /// - Parameters:
  ///   - query: The items to change.
  ///   - value: The new value, at most ``maximumValueByteCount`` bytes.
  ///   - newGroup: The access group to move the items to; nil leaves them in their group.
  ///   - change: Receives each stored item and changes it. An attribute that is set to nil is removed.
  /// - Returns: The number of items.
  /// - Throws: ``VaultError``: `duplicateItem` if two items would have the same primary key; `notEntitled`; `locked`,
  ///   also if a value is protected by an application password; `integrity`; the errors of writing; and what `change`
  ///   throws. Nothing has changed then.
  @discardableResult
  public func update<Item: KeychainItem>(
    _ query: ItemQuery<Item>, value: some SecretValue, movingTo newGroup: String? = nil,
    _ change: (inout Item) throws(VaultError) -> Void = { (_) throws(VaultError) in }
  ) throws(VaultError) -> Int {
    try update(query, bytes: value.secretBytes, movingTo: newGroup, change)
  }

  private func update<Item: KeychainItem>(
    _ query: ItemQuery<Item>, bytes: [UInt8]?, movingTo newGroup: String?,
    _ change: (inout Item) throws(VaultError) -> Void
  ) throws(VaultError) -> Int {
    do {
      return try update(query.search, withValues: bytes == nil, movingTo: newGroup) { old, draft in
        var item = Item(_fields: _ItemFields(old.attributes))
        try change(&item)
        draft.attributes = item._fields.attributes
        guard let bytes else { return }
        try old.attributes.checkNotPasswordProtected()
        draft.value = bytes
      }
    } catch {
      throw VaultError(translating: error)
    }
  }

  /// Deletes all items that a query finds, or none if an error is thrown.
  ///
  /// A query without an access group deletes from every group that the app may write, as `SecItemDelete` does, also
  /// from groups that it shares with other apps.
  ///
  /// - Parameter query: The items to delete.
  /// - Returns: The number of items.
  /// - Throws: ``VaultError``: `notEntitled`, `locked`, and the errors of writing. Nothing has changed then.
  @discardableResult
  public func delete<Item: KeychainItem>(_ query: ItemQuery<Item>) throws(VaultError) -> Int {
    try delete(query.search)
  }
}

/// The items that a query finds, oldest first, as an asynchronous sequence. At most 256 items are in memory at a time.
///
///     for try await item in vault.items(ItemQuery<GenericPassword>()) { … }
///
/// An item that is written during the iteration is returned with its old or its new content, but never twice. If items
/// are damaged, all others are returned first, and then the error of one of them is thrown.
public struct ItemSequence<Item: KeychainItem>: AsyncSequence, Sendable {
  /// The element type: an item without its value.
  public typealias Element = StoredItem<Item>
  /// The error type of the iteration.
  public typealias Failure = VaultError

  let vault: Vault
  let query: ItemQuery<Item>

  /// Creates an iterator that begins at the first item.
  public func makeAsyncIterator() -> Iterator {
    Iterator(vault: vault, cursor: SearchCursor(query.search, spansTransactions: true))
  }

  /// An iterator over the items of a query.
  public struct Iterator: AsyncIteratorProtocol {
    let vault: Vault
    var cursor: SearchCursor
    private var items: ArraySlice<FoundItem> = []
    private var damage: VaultError?

    init(vault: Vault, cursor: SearchCursor) {
      self.vault = vault
      self.cursor = cursor
    }

    /// Returns the next item, or nil after the last one.
    ///
    /// - Throws: ``VaultError``: `notEntitled`, `locked`; and `integrity` after all other items, if an item is damaged.
    public mutating func next() async throws(VaultError) -> StoredItem<Item>? {
      while items.isEmpty, !cursor.isFinished {
        let (vault, before) = (vault, cursor)
        let (page, after) = try await vault.onBlockingThread { () throws(VaultError) in
          var cursor = before
          return (try vault.page(&cursor), cursor)
        }
        cursor = after
        items = page.items[...]
        damage = damage ?? page.damaged.first
      }
      if let found = items.popFirst() { return StoredItem(found) }
      guard let damage else { return nil }
      self.damage = nil
      throw damage
    }

    /// Returns the next item on behalf of an actor. As ``next()``.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(VaultError) -> StoredItem<Item>? {
      try await next()
    }
  }
}

extension Vault {
  /// Returns the items that a query finds as an asynchronous sequence, without their values.
  ///
  /// - Parameter query: The items to find.
  /// - Returns: The sequence of items.
  public func items<Item: KeychainItem>(_ query: ItemQuery<Item>) -> ItemSequence<Item> {
    ItemSequence(vault: self, query: query)
  }

  /// Returns all items of a class as an asynchronous sequence, without their values.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - accessGroup: The access group to search; all of the app's groups if nil.
  /// - Returns: The sequence of items.
  public func items<Item: KeychainItem>(_ type: Item.Type, in accessGroup: String? = nil) -> ItemSequence<Item> {
    items(ItemQuery(in: accessGroup))
  }
}
