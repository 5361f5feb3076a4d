package import CofferCrypto
package import CofferFormat

/// The keys of an admin on one machine, protected by the machine's passphrase, or unprotected if the owner chose so.
package struct AdminFile: Sendable {
  package let genesis: EntryHash
  private let secret: ProtectedSecret

  /// Creates a file without a passphrase. Anybody who can read it can act as the admin.
  package init(genesis: EntryHash, unprotected keys: PartyKeys) {
    self.genesis = genesis
    secret = .open(keys.secret)
  }

  /// Seals the keys under a passphrase of 1…1024 bytes.
  package init(
    genesis: EntryHash, keys: PartyKeys, passphrase: SecretText, cost: PasswordHashCost = .passphrase
  ) throws(CryptoError) {
    self.genesis = genesis
    secret = try ProtectedSecret(
      sealing: keys.secret, passphrase: passphrase, cost: cost, context: genesis.raw.bytes)
  }

  /// True if ``open(passphrase:)`` needs a passphrase.
  package var needsPassphrase: Bool { secret.needsPassphrase }

  /// Returns the admin's keys.
  ///
  /// - Throws: ``CryptoError/authenticationFailed`` for a wrong or missing passphrase.
  package func open(passphrase: SecretText?) throws(CryptoError) -> PartyKeys {
    try PartyKeys(secret: secret.secret(passphrase: passphrase, context: genesis.raw.bytes))
  }

  /// Returns the file's bytes. They are secret if the file has no passphrase; the caller must wipe them.
  package func secretBytes() -> [UInt8] {
    var writer = ByteWriter()
    writer.begin(.adminFile)
    writer.fixed(genesis.raw)
    secret.write(to: &writer)
    return writer.bytes
  }

  /// Reads the file's bytes. The caller must wipe them.
  package init(secretBytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(secretBytes, object: ObjectKind.adminFile.name)
    try reader.begin(.adminFile)
    genesis = EntryHash(try reader.bytes32("genesis"))
    secret = try ProtectedSecret(from: &reader, byteCount: 64)
    try reader.finish()
  }
}
