internal import CofferVault

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
