package import CofferCrypto

/// An item's value under a password of its app's, beneath what the group's keys seal: Keychain's application password.
///
/// The value is under a random key and only that key under the password, so that a long value costs no more than a short one and
/// opening proves the password before the value is touched.
package struct ProtectedValue: Sendable {
  private let slot: PassphraseSlot
  private let sealed: [UInt8]

  /// Seals a value under a password of 1…1024 bytes.
  package init(
    sealing value: [UInt8], password: [UInt8], cost: PasswordHashCost = .interactive
  ) throws(CryptoError) {
    let key = SymmetricKey.random()
    slot = try PassphraseSlot(sealing: key.secret, passphrase: password, cost: cost, context: Self.opening)
    sealed = key.seal(value, associated: Self.opening)
  }

  /// The value. Throws ``CryptoError/authenticationFailed`` for a wrong password.
  package func open(password: [UInt8]) throws(CryptoError) -> [UInt8] {
    let key = try SymmetricKey(slot.open(passphrase: password, context: Self.opening))
    return try key.open(sealed, associated: Self.opening)
  }

  private static var opening: [UInt8] {
    var writer = ByteWriter()
    writer.begin(.protectedValue)
    return writer.bytes
  }

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
    sealed = try reader.data("sealed value", cap: Limits.valueByteCount + SymmetricKey.overheadByteCount)
    try reader.finish()
  }
}
