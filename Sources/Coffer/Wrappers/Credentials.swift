

/// A property whose user name and password lie in the vault together: both change, or neither.
///
///     @Credentials("mail") var mail
///     mail = UserCredentials(user: "jane", password: "s3cret")
///
/// It behaves as ``Password`` does: nil deletes, and `$mail` tells errors.
@propertyWrapper
public struct Credentials: Sendable {
  /// The errors that the property cannot show.
  public let projectedValue: StoredValue<UserCredentials>

  /// - Parameters:
  ///   - account: The item's account: a name for these credentials, not the user's.
  ///   - service: The item's service; the app's bundle identifier and `.credentials` where nil, so that a ``Password`` of the same
  ///     name is another item.
  ///   - group: The access group, as in ``Vault/add(_:for:in:)``; for reading, all of the app's where nil.
  ///   - vault: The vault; ``Vault/shared`` where nil.
  public init(_ account: String, service: String? = nil, group: String? = nil, vault: Vault? = nil) {
    projectedValue = StoredValue(
      account: account, service: service, kind: ".credentials", group: group, vault: vault,
      read: { (vault, item, group) throws(VaultError) in try vault.value(UserCredentials.self, for: item, in: group) },
      write: { (value, vault, item, group) throws(VaultError) in
        try vault.set(encoding: value, for: item, in: group)
      })
  }

  /// The credentials; nil for none.
  public var wrappedValue: UserCredentials? {
    get { projectedValue.valueOrNil }
    nonmutating set { projectedValue.keep(newValue) }
  }
}
