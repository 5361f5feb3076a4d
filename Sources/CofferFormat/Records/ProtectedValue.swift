package import CofferCrypto

/// An item's value under a password of its app's, beneath what the group's keys seal: Keychain's application password.
///
/// The value is under a random key and only that key under the password, so that a long value costs no more than a short one, opening
/// proves the password before the value is touched, and a new value needs no new derivation.
package struct ProtectedValue: Sendable {
  fileprivate let slot: PassphraseSlot
  fileprivate let sealed: [UInt8]

  fileprivate init(slot: PassphraseSlot, sealed: [UInt8]) {
    self.slot = slot
    self.sealed = sealed
  }

  fileprivate static var opening: [UInt8] {
    var writer = ByteWriter()
    writer.begin(.protectedValue)
    return writer.bytes
  }

  /// The most that a reader pays for a password: whoever may write an item chooses its cost.
  package static let costCeiling = (passes: UInt32(8), memoryKiB: UInt32(256 * 1024))

  /// The bytes that stand for the value.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.begin(.protectedValue)
    slot.write(to: &writer)
    writer.data(sealed)
    return writer.bytes
  }

  /// True for bytes that begin as a protected value does.
  package static func isKind(of bytes: [UInt8]) -> Bool { bytes.starts(with: opening) }

  /// Reads what ``bytes`` gave.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.protectedValue.name)
    try reader.begin(.protectedValue)
    slot = try PassphraseSlot(from: &reader)
    guard slot.cost.passes <= Self.costCeiling.passes, slot.cost.memoryKiB <= Self.costCeiling.memoryKiB else {
      throw reader.failure(.invalidValue, "password hashing cost")
    }
    sealed = try reader.data("sealed value", cap: Limits.valueByteCount + SymmetricKey.overheadByteCount)
    try reader.finish()
  }
}

/// The key that one or more values are under, and its slot for the password.
package struct ValueProtection: Sendable {
  private let slot: PassphraseSlot
  private let key: SymmetricKey

  /// A new key under a password of 1…1024 bytes.
  package init(password: [UInt8], cost: PasswordHashCost = .interactive) throws(CryptoError) {
    key = .random()
    slot = try PassphraseSlot(sealing: key.secret, passphrase: password, cost: cost, context: ProtectedValue.opening)
  }

  /// The key of a value. Throws ``CryptoError/authenticationFailed`` for a wrong password.
  package init(of value: ProtectedValue, password: [UInt8]) throws(CryptoError) {
    slot = value.slot
    key = try SymmetricKey(slot.open(passphrase: password, context: ProtectedValue.opening))
  }

  package func seal(_ value: [UInt8]) -> ProtectedValue {
    ProtectedValue(slot: slot, sealed: key.seal(value, associated: ProtectedValue.opening))
  }

  /// Throws ``CryptoError/authenticationFailed`` for a value under another key, or an altered one.
  package func open(_ value: ProtectedValue) throws(CryptoError) -> [UInt8] {
    try key.open(value.sealed, associated: ProtectedValue.opening)
  }
}
