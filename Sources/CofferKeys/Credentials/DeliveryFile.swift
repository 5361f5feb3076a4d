package import CofferCrypto
package import CofferFormat

/// The key that opens what admins deliver to one machine, protected by the machine's passphrase, or unprotected if the
/// owner chose so.
///
/// It is not in the device file, because the program that syncs holds that: it would open the credentials of apps. Under
/// a passphrase, because the log keeps the boxes for ever: an open key would open the keys of an app that requires it.
package struct DeliveryFile: Sendable {
  package let genesis: EntryHash
  private let secret: ProtectedSecret

  /// Creates a file without a passphrase. Anybody who can read it can open what was delivered.
  package init(genesis: EntryHash, unprotected key: AgreementKey) {
    self.genesis = genesis
    secret = .open(key.secret)
  }

  /// Seals the key under a passphrase of 1…1024 bytes.
  package init(
    genesis: EntryHash, key: AgreementKey, passphrase: SecretText, cost: PasswordHashCost = .passphrase
  ) throws(CryptoError) {
    self.genesis = genesis
    secret = try ProtectedSecret(
      sealing: key.secret, passphrase: passphrase, cost: cost, context: Self.context(genesis))
  }

  /// True if ``open(passphrase:)`` needs a passphrase.
  package var needsPassphrase: Bool { secret.needsPassphrase }

  /// Returns the key.
  ///
  /// - Throws: ``CryptoError/authenticationFailed`` for a wrong or missing passphrase.
  package func open(passphrase: SecretText?) throws(CryptoError) -> AgreementKey {
    try AgreementKey(secret: secret.secret(passphrase: passphrase, context: Self.context(genesis)))
  }

  /// Returns the file's bytes. They are secret if the file has no passphrase; the caller must wipe them.
  package func secretBytes() -> [UInt8] {
    var writer = ByteWriter()
    writer.begin(.deliveryFile)
    writer.fixed(genesis.raw)
    secret.write(to: &writer)
    return writer.bytes
  }

  /// Reads the file's bytes. The caller must wipe them.
  package init(secretBytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(secretBytes, object: ObjectKind.deliveryFile.name)
    try reader.begin(.deliveryFile)
    genesis = EntryHash(try reader.bytes32("genesis"))
    secret = try ProtectedSecret(from: &reader, byteCount: 32)
    try reader.finish()
  }

  /// What the passphrase's slot is bound to: another file of this vault must not be taken for this one.
  private static func context(_ genesis: EntryHash) -> [UInt8] {
    var writer = ByteWriter()
    writer.begin(.deliveryFile)
    writer.fixed(genesis.raw)
    return writer.bytes
  }
}
