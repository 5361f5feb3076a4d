package import CofferCrypto

/// An application password, as the key that it was derived to once, and the value that it has opened.
package struct ValueProtection: Sendable {
  private let password: PassphraseSlot.Key
  /// The key of the value that was opened, and what its sealed bytes authenticate; nil for a new password.
  private let opened: (key: SymmetricKey, context: [UInt8])?

  /// Derives the key of a new password of 1…1024 bytes.
  package init(password: SecretText, cost: PasswordHashCost = .interactive) throws(CryptoError) {
    self.password = try PassphraseSlot.Key(passphrase: password, cost: cost)
    opened = nil
  }

  /// Opens the key of a value. The item is nil if it has no persistent reference. Throws
  /// ``CryptoError/authenticationFailed`` for a wrong password, and for the value of another item.
  package init(of value: ProtectedValue, in item: ProtectedItem?, password: SecretText) throws(CryptoError) {
    guard let context = item.map(ProtectedValue.context) else { throw .authenticationFailed }
    self.password = try PassphraseSlot.Key(passphrase: password, of: value.slot)
    opened = (try SymmetricKey(value.slot.open(with: self.password, context: context)), context)
  }

  /// Seals a value of an item under the password and a random key.
  package func seal(_ value: [UInt8], for item: ProtectedItem) -> ProtectedValue {
    let key = SymmetricKey.random()
    let context = ProtectedValue.context(of: item)
    let slot = PassphraseSlot(sealing: key.secret, under: password, context: context)
    return ProtectedValue(slot: slot, sealed: key.seal(value, associated: context))
  }

  /// Opens the value that this protection was created of. Throws ``CryptoError/authenticationFailed`` if the value was
  /// altered or is another one.
  package func open(_ value: ProtectedValue) throws(CryptoError) -> [UInt8] {
    guard let opened else { throw .authenticationFailed }
    return try opened.key.open(value.sealed, associated: opened.context)
  }
}
