public import CofferPlatform
public import CofferVault

/// The asynchronous forms of the calls that take a query, or read versions. They do the work on a thread that may
/// block, and are not interrupted when the task is cancelled.
extension Vault {
  /// Returns all items that a query finds without blocking the calling thread. Parameters, result and errors: see
  /// ``list(_:)``.
  public func list<Item: KeychainItem>(_ query: ItemQuery<Item>) async throws(VaultError) -> ItemList<Item> {
    try await onBlockingThread { () throws(VaultError) in try self.list(query) }
  }

  /// Returns all items of a class without blocking the calling thread. Parameters, result and errors: see
  /// ``list(_:in:)``.
  public func list<Item: KeychainItem>(
    _ type: Item.Type, in accessGroup: String? = nil
  ) async throws(VaultError) -> ItemList<Item> {
    try await onBlockingThread { () throws(VaultError) in try self.list(ItemQuery<Item>(in: accessGroup)) }
  }

  /// Returns the first item that a query finds without blocking the calling thread. Parameters, result and errors: see
  /// ``first(_:)``.
  public func first<Item: KeychainItem>(_ query: ItemQuery<Item>) async throws(VaultError) -> StoredItem<Item>? {
    try await onBlockingThread { () throws(VaultError) in try self.first(query) }
  }

  /// Returns the number of items that a query finds without blocking the calling thread. Parameters, result and errors:
  /// see ``count(_:)``.
  public func count<Item: KeychainItem>(_ query: ItemQuery<Item>) async throws(VaultError) -> Int {
    try await onBlockingThread { () throws(VaultError) in try self.count(query) }
  }

  /// Returns the number of items of a class without blocking the calling thread. Parameters, result and errors: see
  /// ``count(_:in:)``.
  public func count<Item: KeychainItem>(
    _ type: Item.Type, in accessGroup: String? = nil
  ) async throws(VaultError) -> Int {
    try await onBlockingThread { () throws(VaultError) in try self.count(ItemQuery<Item>(in: accessGroup)) }
  }

  /// Changes the attributes of all items that a query finds without blocking the calling thread. Parameters, result and
  /// errors: see ``update(_:movingTo:_:)``.
  @discardableResult
  public func update<Item: KeychainItem>(
    _ query: ItemQuery<Item>, movingTo newGroup: String? = nil,
    _ change: @escaping @Sendable (inout Item) throws(VaultError) -> Void = { (_) throws(VaultError) in }
  ) async throws(VaultError) -> Int {
    try await onBlockingThread { () throws(VaultError) in try self.update(query, movingTo: newGroup, change) }
  }

  /// Changes the value and the attributes of all items that a query finds without blocking the calling thread.
  /// Parameters, result and errors: see ``update(_:value:movingTo:_:)``.
  @discardableResult
  public func update<Item: KeychainItem>(
    _ query: ItemQuery<Item>, value: some SecretValue, movingTo newGroup: String? = nil,
    _ change: @escaping @Sendable (inout Item) throws(VaultError) -> Void = { (_) throws(VaultError) in }
  ) async throws(VaultError) -> Int {
    try await onBlockingThread { () throws(VaultError) in
      try self.update(query, value: value, movingTo: newGroup, change)
    }
  }

  /// Deletes all items that a query finds without blocking the calling thread. Parameters, result and errors: see
  /// ``delete(_:)``.
  @discardableResult
  public func delete<Item: KeychainItem>(_ query: ItemQuery<Item>) async throws(VaultError) -> Int {
    try await onBlockingThread { () throws(VaultError) in try self.delete(query) }
  }

  /// Returns the versions of an item without blocking the calling thread. Parameters, result and errors: see
  /// ``history(of:in:)``.
  public func history<Item: KeychainItem>(
    of item: Item, in accessGroup: String? = nil
  ) async throws(VaultError) -> ItemHistory<Item> {
    try await onBlockingThread { () throws(VaultError) in try self.history(of: item, in: accessGroup) }
  }

  /// Returns the items of a class that machines have changed at the same time without blocking the calling thread.
  /// Parameters, result and errors: see ``conflicts(_:in:)``.
  public func conflicts<Item: KeychainItem>(
    _ type: Item.Type, in accessGroup: String? = nil
  ) async throws(VaultError) -> [ItemConflict<Item>] {
    try await onBlockingThread { () throws(VaultError) in try self.conflicts(Item.self, in: accessGroup) }
  }

  /// Returns the value of a version without blocking the calling thread. Parameters, result and errors: see
  /// ``value(of:)``.
  public func value<Item: KeychainItem>(of version: ItemVersion<Item>) async throws(VaultError) -> Data? {
    try await onBlockingThread { () throws(VaultError) in try self.value(of: version) }
  }

  /// Makes an earlier version the current one without blocking the calling thread. Parameters, result and errors: see
  /// ``restore(_:)``.
  public func restore<Item: KeychainItem>(_ version: ItemVersion<Item>) async throws(VaultError) {
    try await onBlockingThread { () throws(VaultError) in try self.restore(version) }
  }

  /// Returns the identities whose certificates a query finds without blocking the calling thread. Parameters, result
  /// and errors: see ``identities(_:)``.
  public func identities(
    _ query: ItemQuery<KeychainCertificate> = ItemQuery()
  ) async throws(VaultError) -> [KeychainIdentity] {
    try await onBlockingThread { () throws(VaultError) in try self.identities(query) }
  }
}
