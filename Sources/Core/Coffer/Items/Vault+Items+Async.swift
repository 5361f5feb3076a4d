public import CofferPlatform
public import CofferVault

/// The asynchronous forms of the calls that name one item. They do the work on a thread that may block, and are not
/// interrupted when the task is cancelled.
extension Vault {
  /// Adds an item without blocking the calling thread. Parameters, result and errors: see ``add(_:for:in:)``.
  @discardableResult
  public func add<Item: KeychainItem>(
    _ value: some SecretValue, for item: Item, in accessGroup: String? = nil
  ) async throws(VaultError) -> PersistentReference {
    try await onBlockingThread { () throws(VaultError) in try self.add(value, for: item, in: accessGroup) }
  }

  /// Adds an item, or replaces the value of an existing one, without blocking the calling thread. Parameters, result
  /// and errors: see ``set(_:for:in:)``.
  @discardableResult
  public func set<Item: KeychainItem>(
    _ value: some SecretValue, for item: Item, in accessGroup: String? = nil
  ) async throws(VaultError) -> PersistentReference {
    try await onBlockingThread { () throws(VaultError) in try self.set(value, for: item, in: accessGroup) }
  }

  /// Changes an item's attributes without blocking the calling thread. Parameters, result and errors: see
  /// ``update(_:in:movingTo:_:)``.
  @discardableResult
  public func update<Item: KeychainItem>(
    _ item: Item, in accessGroup: String? = nil, movingTo newGroup: String? = nil,
    _ change: @escaping @Sendable (inout Item) throws(VaultError) -> Void = { (_) throws(VaultError) in }
  ) async throws(VaultError) -> Bool {
    try await onBlockingThread { () throws(VaultError) in
      try self.update(item, in: accessGroup, movingTo: newGroup, change)
    }
  }

  /// Changes an item's value and attributes without blocking the calling thread. Parameters, result and errors: see
  /// ``update(_:in:value:movingTo:_:)``.
  @discardableResult
  public func update<Item: KeychainItem>(
    _ item: Item, in accessGroup: String? = nil, value: some SecretValue, movingTo newGroup: String? = nil,
    _ change: @escaping @Sendable (inout Item) throws(VaultError) -> Void = { (_) throws(VaultError) in }
  ) async throws(VaultError) -> Bool {
    try await onBlockingThread { () throws(VaultError) in
      try self.update(item, in: accessGroup, value: value, movingTo: newGroup, change)
    }
  }

  /// Deletes an item without blocking the calling thread. Parameters, result and errors: see ``delete(_:in:)``.
  @discardableResult
  public func delete<Item: KeychainItem>(_ item: Item, in accessGroup: String? = nil) async throws(VaultError) -> Bool {
    try await onBlockingThread { () throws(VaultError) in try self.delete(item, in: accessGroup) }
  }

  /// Returns the value of an item as data without blocking the calling thread. Parameters, result and errors: see
  /// ``value(for:in:)``.
  public func value<Item: KeychainItem>(
    for item: Item, in accessGroup: String? = nil
  ) async throws(VaultError) -> Data? {
    try await onBlockingThread { () throws(VaultError) in try self.value(for: item, in: accessGroup) }
  }

  /// Returns the value of an item as text without blocking the calling thread. Parameters, result and errors: see
  /// ``string(for:in:)``.
  public func string<Item: KeychainItem>(
    for item: Item, in accessGroup: String? = nil
  ) async throws(VaultError) -> String? {
    try await onBlockingThread { () throws(VaultError) in try self.string(for: item, in: accessGroup) }
  }

  /// Returns the value of an item as bytes without blocking the calling thread. Parameters, result and errors: see
  /// ``bytes(for:in:)``.
  public func bytes<Item: KeychainItem>(
    for item: Item, in accessGroup: String? = nil
  ) async throws(VaultError) -> [UInt8]? {
    try await onBlockingThread { () throws(VaultError) in try self.bytes(for: item, in: accessGroup) }
  }

  /// Returns an item without its value without blocking the calling thread. Parameters, result and errors: see
  /// ``storedItem(for:in:)``.
  public func storedItem<Item: KeychainItem>(
    for item: Item, in accessGroup: String? = nil
  ) async throws(VaultError) -> StoredItem<Item>? {
    try await onBlockingThread { () throws(VaultError) in try self.storedItem(for: item, in: accessGroup) }
  }

  /// Returns whether an item exists without blocking the calling thread. Parameters, result and errors: see
  /// ``contains(_:in:)``.
  public func contains<Item: KeychainItem>(
    _ item: Item, in accessGroup: String? = nil
  ) async throws(VaultError) -> Bool {
    try await onBlockingThread { () throws(VaultError) in try self.contains(item, in: accessGroup) }
  }

  /// Adds an item or replaces its value, encoded as JSON, without blocking the calling thread. Parameters, result and
  /// errors: see ``set(encoding:for:in:)``.
  @discardableResult
  public func set<Item: KeychainItem>(
    encoding value: some Encodable & Sendable, for item: Item, in accessGroup: String? = nil
  ) async throws(VaultError) -> PersistentReference {
    try await onBlockingThread { () throws(VaultError) in try self.set(encoding: value, for: item, in: accessGroup) }
  }

  /// Returns the value of an item, decoded from JSON, without blocking the calling thread. Parameters, result and
  /// errors: see ``value(_:for:in:)``.
  public func value<Item: KeychainItem, Value: Decodable & Sendable>(
    _ type: Value.Type, for item: Item, in accessGroup: String? = nil
  ) async throws(VaultError) -> Value? {
    try await onBlockingThread { () throws(VaultError) in try self.value(type, for: item, in: accessGroup) }
  }
}
