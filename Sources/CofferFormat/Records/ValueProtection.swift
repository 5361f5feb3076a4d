package import CofferCrypto

/// The key of one or more protected values, with its password slot.
package struct ValueProtection: Sendable {
  private let slot: PassphraseSlot
  private let key: SymmetricKey

  /// Generates a key and seals it under a password of 1…1024 bytes.
  package init(password: [UInt8], cost: PasswordHashCost = .interactive) throws(CryptoError) {
    key = .random()
    slot = try PassphraseSlot(sealing: key.secret, passphrase: password, cost: cost, context: ProtectedValue.opening)
  }

  /// Opens the key of a value.
  ///
  /// - Throws: ``CryptoError/authenticationFailed`` for a wrong password.
  package init(of value: ProtectedValue, password: [UInt8]) throws(CryptoError) {
    slot = value.slot
    key = try SymmetricKey(slot.open(passphrase: password, context: ProtectedValue.opening))
  }

  package func seal(_ value: [UInt8]) -> ProtectedValue {
    ProtectedValue(slot: slot, sealed: key.seal(value, associated: ProtectedValue.opening))
  }

  /// Opens a value.
  ///
  /// - Throws: ``CryptoError/authenticationFailed`` if the value was altered or sealed with another key.
  package func open(_ value: ProtectedValue) throws(CryptoError) -> [UInt8] {
    try key.open(value.sealed, associated: ProtectedValue.opening)
  }
}
