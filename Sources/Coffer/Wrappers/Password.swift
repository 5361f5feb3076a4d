/// A property whose text lies in the vault as a generic password.
///
///     @Password("authToken") var token
///     token = "s3cret"             // set, whether there was one or not
///     token = nil                  // deleted
///     if let error = $token.lastError { … }
///
/// The property is nil where there is no item, and where it cannot be read: `$token` tells which, and has a ``StoredValue/get()``
/// and a ``StoredValue/set(_:)`` that throw. Every use reads or writes the vault.
@propertyWrapper
public struct Password: Sendable {
  /// The errors that the property cannot show.
  public let projectedValue: StoredValue<String>

  /// - Parameters:
  ///   - account: The item's account.
  ///   - service: The item's service; the app's bundle identifier where nil.
  ///   - group: The access group, as in ``Vault/add(_:for:in:)``; for reading, all of the app's where nil.
  ///   - vault: The vault; ``Vault/shared`` where nil.
  public init(_ account: String, service: String? = nil, group: String? = nil, vault: Vault? = nil) {
    projectedValue = StoredValue(
      account: account, service: service, kind: "", group: group, vault: vault,
      read: { (vault, item, group) throws(VaultError) in try vault.string(for: item, in: group) },
      write: { (text, vault, item, group) throws(VaultError) in try vault.set(text, for: item, in: group) })
  }

  /// The text; nil for none.
  public var wrappedValue: String? {
    get { projectedValue.valueOrNil }
    nonmutating set { projectedValue.keep(newValue) }
  }
}
