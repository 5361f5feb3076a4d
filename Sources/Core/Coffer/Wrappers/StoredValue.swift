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

/// A text property that is stored in the vault as a generic password.
///
///     @VaultPassword("authToken") var token
///     token = "s3cret"             // adds or replaces the item
///     token = nil                  // deletes the item
///     if let error = $token.lastError { … }
///
/// The item's account is the wrapper's first argument, and its service is the app's bundle identifier. The property is
/// nil if the item does not exist, and also if it cannot be read: `$token` tells the two apart, and has
/// ``StoredValue/get()`` and ``StoredValue/set(_:)``, which throw. Each access reads or writes the vault.
@propertyWrapper
public struct VaultPassword: Sendable {
  /// The stored value, with the errors that the property cannot throw.
  public let projectedValue: StoredValue<String>

  /// Creates a property for one item.
  ///
  /// - Parameters:
  ///   - account: The item's account.
  ///   - service: The item's service; the app's bundle identifier if nil.
  ///   - accessGroup: The access group. If nil, writes go to the app's default group, reads search all of the app's
  ///     groups, and nil deletes the item from every group that the app may write.
  ///   - accessibility: When the item may be read, and whether it may leave this machine; if nil, the stored value is
  ///     kept.
  ///   - vault: The vault; ``Vault/default`` if nil.
  public init(
    _ account: String, service: String? = nil, in accessGroup: String? = nil, accessibility: ItemAccessibility? = nil,
    vault: Vault? = nil
  ) {
    projectedValue = StoredValue(
      account: account, service: service, serviceSuffix: "", accessGroup: accessGroup,
      accessibility: accessibility, vault: vault,
      read: { (vault, item, group) throws(VaultError) in try vault.string(for: item, in: group) },
      write: { (text, vault, item, group) throws(VaultError) in try vault.set(text, for: item, in: group) })
  }

  /// The text; nil if the item does not exist or cannot be read.
  public var wrappedValue: String? {
    get { projectedValue.valueOrNil }
    nonmutating set { projectedValue.setRecordingError(newValue) }
  }
}

/// A property of any `Codable` type that is stored in the vault, as JSON in a generic password.
///
///     @VaultStored("session") var session: Session?
///
/// It behaves as ``VaultPassword`` does: nil deletes the item, and `$session` has the errors.
@propertyWrapper
public struct VaultStored<Value: Codable & Sendable>: Sendable {
  /// The stored value, with the errors that the property cannot throw.
  public let projectedValue: StoredValue<Value>

  /// Creates a property for one item.
  ///
  /// - Parameters:
  ///   - account: The item's account.
  ///   - service: The item's service; the app's bundle identifier followed by `.stored` if nil.
  ///   - accessGroup: The access group. If nil, writes go to the app's default group, reads search all of the app's
  ///     groups, and nil deletes the item from every group that the app may write.
  ///   - accessibility: When the item may be read, and whether it may leave this machine; if nil, the stored value is
  ///     kept.
  ///   - vault: The vault; ``Vault/default`` if nil.
  public init(
    _ account: String, service: String? = nil, in accessGroup: String? = nil, accessibility: ItemAccessibility? = nil,
    vault: Vault? = nil
  ) {
    projectedValue = StoredValue(
      account: account, service: service, serviceSuffix: ".stored", accessGroup: accessGroup,
      accessibility: accessibility, vault: vault,
      read: { (vault, item, group) throws(VaultError) in try vault.value(Value.self, for: item, in: group) },
      write: { (value, vault, item, group) throws(VaultError) in
        try vault.set(encoding: value, for: item, in: group)
      })
  }

  /// The value; nil if the item does not exist or cannot be read.
  public var wrappedValue: Value? {
    get { projectedValue.valueOrNil }
    nonmutating set { projectedValue.setRecordingError(newValue) }
  }
}

/// A user name and password that are stored in the vault as one item, so that both change together.
///
///     @VaultCredentials("mail") var mail
///     mail = UserCredentials(user: "jane", password: "s3cret")
///
/// It behaves as ``VaultPassword`` does: nil deletes the item, and `$mail` has the errors.
@propertyWrapper
public struct VaultCredentials: Sendable {
  /// The stored value, with the errors that the property cannot throw.
  public let projectedValue: StoredValue<UserCredentials>

  /// Creates a property for one item.
  ///
  /// - Parameters:
  ///   - account: The item's account: a name for these credentials, not the user's.
  ///   - service: The item's service; the app's bundle identifier followed by `.credentials` if nil, so that a
  ///     ``VaultPassword`` with the same account is another item.
  ///   - accessGroup: The access group. If nil, writes go to the app's default group, reads search all of the app's
  ///     groups, and nil deletes the item from every group that the app may write.
  ///   - accessibility: When the item may be read, and whether it may leave this machine; if nil, the stored value is
  ///     kept.
  ///   - vault: The vault; ``Vault/default`` if nil.
  public init(
    _ account: String, service: String? = nil, in accessGroup: String? = nil, accessibility: ItemAccessibility? = nil,
    vault: Vault? = nil
  ) {
    projectedValue = StoredValue(
      account: account, service: service, serviceSuffix: ".credentials", accessGroup: accessGroup,
      accessibility: accessibility, vault: vault,
      read: { (vault, item, group) throws(VaultError) in try vault.value(UserCredentials.self, for: item, in: group) },
      write: { (value, vault, item, group) throws(VaultError) in
        try vault.set(encoding: value, for: item, in: group)
      })
  }

  /// The credentials; nil if the item does not exist or cannot be read.
  public var wrappedValue: UserCredentials? {
    get { projectedValue.valueOrNil }
    nonmutating set { projectedValue.setRecordingError(newValue) }
  }
}

/// A user name and a password as one value. Its descriptions and its mirror contain neither.
public struct UserCredentials: Codable, Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The user name.
  public var user: String
  /// The password.
  public var password: String

  /// Creates credentials from a user name and a password.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }

  /// A redacted description.
  public var description: String { "credentials of a user" }
  /// A redacted description.
  public var debugDescription: String { description }
  /// A mirror without children, so that `dump` prints no secret.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
