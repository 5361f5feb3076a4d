internal import CofferTrust
public import CofferVault
internal import Synchronization

/// The value of a property wrapper in the vault, with the errors that the property itself cannot throw: `$property`.
///
/// The property is nil both if the item does not exist and if it cannot be read; ``lastError`` and ``get()`` tell the
/// two apart.
public final class StoredValue<Value: Sendable>: Sendable {
  private let item: @Sendable (Vault) -> GenericPassword
  private let accessGroup: String?
  private let chosenVault: Vault?
  private let read: @Sendable (Vault, GenericPassword, String?) throws(VaultError) -> Value?
  private let write: @Sendable (Value, Vault, GenericPassword, String?) throws(VaultError) -> Void
  private let problem = Mutex<VaultError?>(nil)

  init(
    account: String, service: String?, serviceSuffix: String, accessGroup: String?, accessibility: ItemAccessibility?,
    vault: Vault?,
    read: @escaping @Sendable (Vault, GenericPassword, String?) throws(VaultError) -> Value?,
    write: @escaping @Sendable (Value, Vault, GenericPassword, String?) throws(VaultError) -> Void
  ) {
    // Each kind of wrapper has its own service: a password and credentials with the same account are two items.
    item = { vault in
      GenericPassword(
        service: service ?? vault.defaultService + serviceSuffix, account: account, accessibility: accessibility)
    }
    self.accessGroup = accessGroup
    chosenVault = vault
    self.read = read
    self.write = write
  }

  /// The error of the last access to the property or to this object; nil if it succeeded.
  public var lastError: VaultError? { problem.withLock { $0 } }

  /// Returns the value, or nil if the item does not exist.
  ///
  /// - Throws: ``VaultError`` if the item cannot be read: see ``Vault/string(for:in:)``.
  public func get() throws(VaultError) -> Value? {
    try recordingError { () throws(VaultError) in
      let vault = try vault()
      return try read(vault, item(vault), accessGroup)
    }
  }

  /// Stores a value. Nil deletes the item: without an access group, from every group that the app may write.
  ///
  /// - Parameter value: The new value.
  /// - Throws: ``VaultError`` if the item cannot be written: see ``Vault/set(_:for:in:)``. The old value is kept then.
  public func set(_ value: Value?) throws(VaultError) {
    try recordingError { () throws(VaultError) in
      let vault = try vault()
      if let value {
        try write(value, vault, item(vault), accessGroup)
      } else {
        try vault.delete(item(vault), in: accessGroup)
      }
    }
  }

  /// Returns the value without blocking the calling thread. Result and errors: see ``get()``.
  public func value() async throws(VaultError) -> Value? {
    try await Vault.onBlockingThread { () throws(VaultError) in try self.get() }
  }

  private func vault() throws(VaultError) -> Vault {
    if let chosenVault { return chosenVault }
    return try Vault.default
  }

  private func recordingError<Result>(_ body: () throws(VaultError) -> Result) throws(VaultError) -> Result {
    do throws(VaultError) {
      let result = try body()
      problem.withLock { $0 = nil }
      return result
    } catch {
      problem.withLock { $0 = error }
      throw error
    }
  }

  /// The value for a wrapper's property: nil also after an error, which ``lastError`` has.
  var valueOrNil: Value? {
    do { return try get() } catch { return nil }
  }

  /// Stores a value for a wrapper's property, which cannot throw.
  func setRecordingError(_ value: Value?) {
    do { try set(value) } catch {
      // `recordingError` has kept it for `lastError`.
    }
  }
}

extension Vault {
  /// The service of wrappers that name none: the app's bundle identifier, as Keychain libraries do.
  var defaultService: String {
    guard case .principal(let application, _, _) = author.role else { return "coffer" }
    return application.bundleID.description
  }
}
