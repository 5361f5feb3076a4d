public import CofferPlatform
public import CofferVault
internal import Dispatch

/// The asynchronous forms of the calls that open and unlock a vault, run a transaction, or store identities. They do
/// the work on a thread that may block, and are not interrupted when the task is cancelled.
extension Vault {
  /// Opens a vault without blocking the calling thread. Parameters, result and errors: see
  /// ``open(_:at:creatingIfNeeded:askingForRegistration:)``.
  public static func open(
    _ entitlements: EntitlementsSource = .automatic, at location: VaultLocation? = nil, creatingIfNeeded: Bool = true,
    askingForRegistration prompt: AppRegistrationPrompt? = nil
  ) async throws(VaultError) -> Vault {
    try await onBlockingThread { () throws(VaultError) in
      try open(entitlements, at: location, creatingIfNeeded: creatingIfNeeded, askingForRegistration: prompt)
    }
  }

  /// Unlocks the vault without blocking the calling thread. Parameters, result and errors: see
  /// ``unlock(passphrase:lockAfter:)``.
  public func unlock(passphrase: some SecretValue, lockAfter: Duration? = nil) async throws(VaultError) {
    try await onBlockingThread { () throws(VaultError) in
      try self.unlock(passphrase: passphrase, lockAfter: lockAfter)
    }
  }

  /// Runs a transaction, in which `body` uses the synchronous calls, without blocking the calling thread. Parameters,
  /// result and errors: see ``transaction(_:)``.
  @discardableResult
  public func transaction<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await onBlockingThreadRethrowing { try self.transaction(body) }
  }

  /// Adds a certificate without blocking the calling thread. Parameters, result and errors: see ``add(_:in:)``.
  @discardableResult
  public func add(
    _ certificate: KeychainCertificate, in accessGroup: String? = nil
  ) async throws(VaultError) -> PersistentReference {
    try await onBlockingThread { () throws(VaultError) in try self.add(certificate, in: accessGroup) }
  }

  /// Deletes an identity without blocking the calling thread. Parameters, result and errors: see ``delete(_:)``.
  @discardableResult
  public func delete(_ identity: KeychainIdentity) async throws(VaultError) -> Bool {
    try await onBlockingThread { () throws(VaultError) in try self.delete(identity) }
  }
}

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

/// Threads for calls that wait for the disk and for other writers, so that Swift's cooperative thread pool is not
/// blocked.
extension Vault {
  private static let threads = DispatchQueue(label: "Coffer vault", qos: .userInitiated, attributes: .concurrent)

  /// Runs `body` on a thread that may block. It is not interrupted when the task is cancelled.
  package func onBlockingThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws(VaultError) -> Result
  ) async throws(VaultError) -> Result {
    try await Self.onBlockingThread(body)
  }

  /// Runs `body` on a thread that may block. It is not interrupted when the task is cancelled.
  static func onBlockingThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws(VaultError) -> Result
  ) async throws(VaultError) -> Result {
    // The thread belongs to no task, so it gets the task's default vault for the time of `body`.
    let taskDefault = taskDefault
    let outcome: Swift.Result<Result, VaultError> = await withCheckedContinuation { continuation in
      threads.async {
        let outcome = $taskDefault.withValue(taskDefault) { () -> Swift.Result<Result, VaultError> in
          do throws(VaultError) {
            return .success(try body())
          } catch {
            return .failure(error)
          }
        }
        continuation.resume(returning: outcome)
      }
    }
    return try outcome.get()
  }

  /// Runs a body that throws the caller's own errors on a thread that may block.
  func onBlockingThreadRethrowing<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    let taskDefault = Self.taskDefault
    return try await withCheckedThrowingContinuation { continuation in
      Self.threads.async {
        continuation.resume(with: Swift.Result { try Self.$taskDefault.withValue(taskDefault, operation: body) })
      }
    }
  }
}
