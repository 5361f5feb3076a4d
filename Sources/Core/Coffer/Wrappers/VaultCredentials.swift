internal import CofferVault

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
  ///   - accessibility: When the item may be read, and whether it may leave this machine; if nil, the stored value is kept.
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
