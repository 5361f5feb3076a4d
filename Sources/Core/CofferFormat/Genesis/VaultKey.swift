package import CofferCrypto

/// The key that recovers the whole vault: 136 random bits, shown once as eight groups of four characters.
///
/// The text begins with `COFFER1`, see ``TypedSecret``.
package struct VaultKey: Sendable {
  /// The random bytes, without the checksum.
  package let secret: SecretBytes

  /// The number of the random bytes.
  package static let byteCount = 17

  private static let form = TypedSecret(
    prefix: "COFFER1", secretByteCount: byteCount, checkByteCount: 3, checkDomain: .vaultKeyCheck)

  /// The reason why a text is not a vault key.
  package typealias ParseError = TypedSecret.ParseError

  package static func random() -> VaultKey { VaultKey(secret: .random(count: form.secretByteCount)) }

  private init(secret: SecretBytes) { self.secret = secret }

  /// Creates a key from ``secret``; nil for another number of bytes.
  package init?(restoring secret: SecretBytes) {
    guard secret.count == Self.form.secretByteCount else { return nil }
    self.init(secret: secret)
  }

  /// Reads a key as typed by a person, see ``TypedSecret/read(_:)``.
  package init(parsing text: SecretText) throws(ParseError) { self.init(secret: try Self.form.read(text)) }

  /// The key as text, to be written down. Anybody who knows it controls the vault.
  package var text: SecretText { Self.form.text(of: secret) }

  /// The key that seals root. The vault key has full entropy, so one hash suffices.
  var sealing: SymmetricKey { Hash.key(from: secret, domain: .vaultKey) }
}
