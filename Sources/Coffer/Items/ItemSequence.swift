/// The items that a query finds, one after the other, some 256 of them in memory at a time.
///
///     for try await item in vault.items(ItemQuery<GenericPassword>()) { … }
///
/// An item that is written meanwhile may be seen as it was or as it is, but never twice. Where items are damaged, all the others
/// come first, and then the error of one of them is thrown.
public struct ItemSequence<Item: KeychainItem>: AsyncSequence, Sendable {
  /// An item without its value.
  public typealias Element = StoredItem<Item>
  /// The only error that a walk throws.
  public typealias Failure = VaultError

  let vault: Vault
  let query: ItemQuery<Item>

  /// Begins at the first item.
  public func makeAsyncIterator() -> Iterator { Iterator(vault: vault, cursor: SearchCursor(query.search)) }

  /// Where one walk over the items stands.
  public struct Iterator: AsyncIteratorProtocol {
    let vault: Vault
    var cursor: SearchCursor
    private var items: ArraySlice<FoundItem> = []
    private var damage: VaultError?

    init(vault: Vault, cursor: SearchCursor) {
      self.vault = vault
      self.cursor = cursor
    }

    /// The next item; nil behind the last one.
    public mutating func next() async throws(VaultError) -> StoredItem<Item>? {
      while items.isEmpty, !cursor.isFinished {
        let (vault, before) = (vault, cursor)
        let (page, after) = try await vault.waiting { () throws(VaultError) in
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

    /// As ``next()``, wherever it is called.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(VaultError) -> StoredItem<Item>? {
      try await next()
    }
  }
}

extension Vault {
  /// The items that a query finds, as a sequence to wait for.
  public func items<Item: KeychainItem>(_ query: ItemQuery<Item>) -> ItemSequence<Item> {
    ItemSequence(vault: self, query: query)
  }

  /// Every item of a class, in all of the app's groups or in one, as a sequence to wait for.
  public func items<Item: KeychainItem>(_: Item.Type, in accessGroup: String? = nil) -> ItemSequence<Item> {
    items(ItemQuery(in: accessGroup))
  }
}
