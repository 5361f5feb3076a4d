public import Foundation

/// The calls of `Vault+Queries`, `ItemVersion` and `Vault+Transactions`, waiting without blocking a thread of the program's tasks.
extension Vault {
  /// Every item that a query finds. As the synchronous form.
  public func list<Item: KeychainItem>(_ query: ItemQuery<Item>) async throws(VaultError) -> ItemList<Item> {
    try await waiting { () throws(VaultError) in try self.list(query) }
  }

  /// Every item of a class. As the synchronous form.
  public func list<Item: KeychainItem>(
    _ type: Item.Type, in accessGroup: String? = nil
  ) async throws(VaultError) -> ItemList<Item> {
    try await waiting { () throws(VaultError) in try self.list(ItemQuery<Item>(in: accessGroup)) }
  }

  /// The first item that a query finds; nil where there is none. As the synchronous form.
  public func first<Item: KeychainItem>(_ query: ItemQuery<Item>) async throws(VaultError) -> StoredItem<Item>? {
    try await waiting { () throws(VaultError) in try self.first(query) }
  }

  /// How many items a query finds. As the synchronous form.
  public func count<Item: KeychainItem>(_ query: ItemQuery<Item>) async throws(VaultError) -> Int {
    try await waiting { () throws(VaultError) in try self.count(query) }
  }

  /// How many items of a class there are. As the synchronous form.
  public func count<Item: KeychainItem>(_ type: Item.Type, in accessGroup: String? = nil) async throws(VaultError) -> Int {
    try await waiting { () throws(VaultError) in try self.count(ItemQuery<Item>(in: accessGroup)) }
  }

  /// Changes every item that a query finds, all or none. As the synchronous form.
  @discardableResult
  public func update<Item: KeychainItem>(
    _ query: ItemQuery<Item>, value: (some SecretValue)? = [UInt8]?.none, movingTo newGroup: String? = nil,
    _ change: @escaping @Sendable (inout Item) throws(VaultError) -> Void = { (_) throws(VaultError) in }
  ) async throws(VaultError) -> Int {
    try await waiting { () throws(VaultError) in
      try self.update(query, value: value, movingTo: newGroup, change)
    }
  }

  /// Deletes every item that a query finds, all or none. As the synchronous form.
  @discardableResult
  public func delete<Item: KeychainItem>(_ query: ItemQuery<Item>) async throws(VaultError) -> Int {
    try await waiting { () throws(VaultError) in try self.delete(query) }
  }

  /// The versions of an item. As the synchronous form.
  public func history<Item: KeychainItem>(
    of item: Item, in accessGroup: String? = nil
  ) async throws(VaultError) -> ItemHistory<Item> {
    try await waiting { () throws(VaultError) in try self.history(of: item, in: accessGroup) }
  }

  /// The items that machines changed at the same time. As the synchronous form.
  public func conflicts<Item: KeychainItem>(
    _ type: Item.Type, in accessGroup: String? = nil
  ) async throws(VaultError) -> [ItemConflict<Item>] {
    try await waiting { () throws(VaultError) in try self.conflicts(Item.self, in: accessGroup) }
  }

  /// The value of a version. As the synchronous form.
  public func value<Item: KeychainItem>(of version: ItemVersion<Item>) async throws(VaultError) -> Data? {
    try await waiting { () throws(VaultError) in try self.value(of: version) }
  }

  /// Makes an earlier version the current one. As the synchronous form.
  public func restore<Item: KeychainItem>(_ version: ItemVersion<Item>) async throws(VaultError) {
    try await waiting { () throws(VaultError) in try self.restore(version) }
  }

  /// Runs `body` as one transaction, on a thread that may block. As the synchronous form; `body` uses the synchronous forms of
  /// the other calls.
  @discardableResult
  public func transaction<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await waitingForAny { try self.transaction(body) }
  }

  /// Takes the keys into memory. As the synchronous form: deriving a key from a passphrase takes about half a second.
  public func unlock(passphrase: some SecretValue, lockAfter: Duration? = nil) async throws(VaultError) {
    try await waiting { () throws(VaultError) in try self.unlock(passphrase: passphrase, lockAfter: lockAfter) }
  }

  /// The identities whose certificates a query finds. As the synchronous form.
  public func identities(
    _ query: ItemQuery<Certificate> = ItemQuery()
  ) async throws(VaultError) -> [Identity] {
    try await waiting { () throws(VaultError) in try self.identities(query) }
  }
}
