public import Foundation

/// The calls of `Vault+Items` and `Vault+Codable`, waiting without blocking a thread of the program's tasks.
extension Vault {
  /// Adds an item where there is none. As the synchronous form.
  @discardableResult
  public func add<Item: KeychainItem>(
    _ value: some SecretValue, for item: Item, in accessGroup: String? = nil
  ) async throws(VaultError) -> PersistentReference {
    try await waiting { () throws(VaultError) in try self.add(value, for: item, in: accessGroup) }
  }

  /// Sets an item, whether there is one or not, in one step. As the synchronous form.
  @discardableResult
  public func set<Item: KeychainItem>(
    _ value: some SecretValue, for item: Item, in accessGroup: String? = nil
  ) async throws(VaultError) -> PersistentReference {
    try await waiting { () throws(VaultError) in try self.set(value, for: item, in: accessGroup) }
  }

  /// Changes an item. As the synchronous form.
  @discardableResult
  public func update<Item: KeychainItem>(
    _ item: Item, in accessGroup: String? = nil, value: (some SecretValue)? = [UInt8]?.none, movingTo newGroup: String? = nil,
    _ change: @escaping @Sendable (inout Item) throws(VaultError) -> Void = { (_) throws(VaultError) in }
  ) async throws(VaultError) -> Bool {
    try await waiting { () throws(VaultError) in
      try self.update(item, in: accessGroup, value: value, movingTo: newGroup, change)
    }
  }

  /// Deletes an item. As the synchronous form.
  @discardableResult
  public func delete<Item: KeychainItem>(_ item: Item, in accessGroup: String? = nil) async throws(VaultError) -> Bool {
    try await waiting { () throws(VaultError) in try self.delete(item, in: accessGroup) }
  }

  /// The value of an item; nil where there is none. As the synchronous form.
  public func value<Item: KeychainItem>(for item: Item, in accessGroup: String? = nil) async throws(VaultError) -> Data? {
    try await waiting { () throws(VaultError) in try self.value(for: item, in: accessGroup) }
  }

  /// The value of an item as text; nil where there is none. As the synchronous form.
  public func string<Item: KeychainItem>(for item: Item, in accessGroup: String? = nil) async throws(VaultError) -> String? {
    try await waiting { () throws(VaultError) in try self.string(for: item, in: accessGroup) }
  }

  /// The value of an item as bytes; nil where there is none. As the synchronous form.
  public func bytes<Item: KeychainItem>(for item: Item, in accessGroup: String? = nil) async throws(VaultError) -> [UInt8]? {
    try await waiting { () throws(VaultError) in try self.bytes(for: item, in: accessGroup) }
  }

  /// What is known of an item beside its value. As the synchronous form.
  public func attributes<Item: KeychainItem>(
    of item: Item, in accessGroup: String? = nil
  ) async throws(VaultError) -> StoredItem<Item>? {
    try await waiting { () throws(VaultError) in try self.attributes(of: item, in: accessGroup) }
  }

  /// True where there is such an item. As the synchronous form.
  public func contains<Item: KeychainItem>(_ item: Item, in accessGroup: String? = nil) async throws(VaultError) -> Bool {
    try await waiting { () throws(VaultError) in try self.contains(item, in: accessGroup) }
  }

  /// Sets an item to a value of any `Encodable` type. As the synchronous form.
  @discardableResult
  public func set<Item: KeychainItem>(
    encoding value: some Encodable & Sendable, for item: Item, in accessGroup: String? = nil
  ) async throws(VaultError) -> PersistentReference {
    try await waiting { () throws(VaultError) in try self.set(encoding: value, for: item, in: accessGroup) }
  }

  /// The value of an item, decoded; nil where there is none. As the synchronous form.
  public func value<Item: KeychainItem, Value: Decodable & Sendable>(
    _ type: Value.Type, for item: Item, in accessGroup: String? = nil
  ) async throws(VaultError) -> Value? {
    try await waiting { () throws(VaultError) in try self.value(type, for: item, in: accessGroup) }
  }
}
