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
  ///   - key: The item's account.
  ///   - service: The item's service; the app's bundle identifier followed by `.stored` if nil.
  ///   - accessGroup: The access group. If nil, writes go to the app's default group, and reads search all of the app's
  ///     groups.
  ///   - vault: The vault; ``Vault/default`` if nil.
  public init(_ key: String, service: String? = nil, in accessGroup: String? = nil, vault: Vault? = nil) {
    projectedValue = StoredValue(
      account: key, service: service, serviceSuffix: ".stored", accessGroup: accessGroup, vault: vault,
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
