internal import CofferVault

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
  ///   - accessibility: When the item may be read, and whether it may leave this machine; if nil, the stored value is kept.
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
