internal import CofferTrust
internal import Synchronization

/// What a property wrapper of this library stands for, with the errors that the bare property cannot show: `$property`.
///
/// The property itself is nil both where there is no item and where it cannot be read; ``lastError`` and ``get()`` tell which.
public final class StoredValue<Value: Sendable>: Sendable {
  private let item: @Sendable (Vault) -> GenericPassword
  private let group: String?
  private let chosenVault: Vault?
  private let read: @Sendable (Vault, GenericPassword, String?) throws(VaultError) -> Value?
  private let write: @Sendable (Value, Vault, GenericPassword, String?) throws(VaultError) -> Void
  private let problem = Mutex<VaultError?>(nil)

  init(
    account: String, service: String?, kind: String, group: String?, vault: Vault?,
    read: @escaping @Sendable (Vault, GenericPassword, String?) throws(VaultError) -> Value?,
    write: @escaping @Sendable (Value, Vault, GenericPassword, String?) throws(VaultError) -> Void
  ) {
    // Kinds have services of their own: a password and credentials of one name are two items.
    item = { vault in
      GenericPassword(service: service ?? vault.defaultService + kind, account: account)
    }
    self.group = group
    chosenVault = vault
    self.read = read
    self.write = write
  }

  /// What the last use of the property or of this object failed with; nil where it did not fail.
  public var lastError: VaultError? { problem.withLock { $0 } }

  /// The value; nil where there is none.
  ///
  /// - Throws: ``VaultError`` where it cannot be read.
  public func get() throws(VaultError) -> Value? {
    try noting { () throws(VaultError) in
      let vault = try vault()
      return try read(vault, item(vault), group)
    }
  }

  /// Sets the value; nil deletes the item.
  ///
  /// - Throws: ``VaultError`` where it cannot be written; the old value is there then.
  public func set(_ value: Value?) throws(VaultError) {
    try noting { () throws(VaultError) in
      let vault = try vault()
      if let value {
        try write(value, vault, item(vault), group)
      } else {
        try vault.delete(item(vault), in: group)
      }
    }
  }

  /// The value, waiting without blocking a thread of the program's tasks. As ``get()``.
  public func value() async throws(VaultError) -> Value? {
    try await vault().waiting { () throws(VaultError) in try self.get() }
  }

  private func vault() throws(VaultError) -> Vault {
    if let chosenVault { return chosenVault }
    return try Vault.shared
  }

  private func noting<Result>(_ body: () throws(VaultError) -> Result) throws(VaultError) -> Result {
    do throws(VaultError) {
      let result = try body()
      problem.withLock { $0 = nil }
      return result
    } catch {
      problem.withLock { $0 = error }
      throw error
    }
  }

  /// For the wrappers: nil for an error too, which ``lastError`` then tells.
  var valueOrNil: Value? {
    do { return try get() } catch { return nil }
  }

  /// For the wrappers: an error is kept for ``lastError``.
  func keep(_ value: Value?) {
    do { try set(value) } catch {
      // Kept by `noting`.
    }
  }
}

extension Vault {
  /// The service of properties that name none: the app's bundle identifier, as Keychain libraries do it.
  var defaultService: String {
    guard case .principal(let application, _, _) = author.role else { return "coffer" }
    return application.bundleID.description
  }
}
