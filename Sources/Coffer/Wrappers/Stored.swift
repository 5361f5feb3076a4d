/// A property of any `Codable` type whose value lies in the vault, as JSON in a generic password.
///
///     @Stored("session") var session: Session?
///
/// It behaves as ``Password`` does: nil deletes, and `$session` tells errors.
@propertyWrapper
public struct Stored<Value: Codable & Sendable>: Sendable {
  /// The errors that the property cannot show.
  public let projectedValue: StoredValue<Value>

  /// - Parameters:
  ///   - key: The item's account.
  ///   - service: The item's service; the app's bundle identifier and `.stored` where nil.
  ///   - group: The access group, as in ``Vault/add(_:for:in:)``; for reading, all of the app's where nil.
  ///   - vault: The vault; ``Vault/shared`` where nil.
  public init(_ key: String, service: String? = nil, group: String? = nil, vault: Vault? = nil) {
    projectedValue = StoredValue(
      account: key, service: service, kind: ".stored", group: group, vault: vault,
      read: { (vault, item, group) throws(VaultError) in try vault.value(Value.self, for: item, in: group) },
      write: { (value, vault, item, group) throws(VaultError) in
        try vault.set(encoding: value, for: item, in: group)
      })
  }

  /// The value; nil for none.
  public var wrappedValue: Value? {
    get { projectedValue.valueOrNil }
    nonmutating set { projectedValue.keep(newValue) }
  }
}
