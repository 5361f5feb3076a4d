internal import CofferVault

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
  ///   - accessibility: When the item may be read, and whether it may leave this machine; if nil, the stored value is kept.
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
