package import CofferCrypto
package import CofferFormat

/// A secret that a machine's owner keeps in a file of its own.
package protocol FileKey: Sendable {
  static var file: ObjectKind { get }
  static var secretByteCount: Int { get }
  var secret: SecretBytes { get }
  init(secret: SecretBytes) throws(CryptoError)
}

extension PartyKeys: FileKey {
  package static var file: ObjectKind { .adminFile }
  package static var secretByteCount: Int { 64 }
}

extension AgreementKey: FileKey {
  package static var file: ObjectKind { .deliveryFile }
  package static var secretByteCount: Int { 32 }
}

extension VaultKey: FileKey {
  package static var file: ObjectKind { .backupKey }
  package static var secretByteCount: Int { byteCount }

  package init(secret: SecretBytes) throws(CryptoError) {
    guard let key = VaultKey(restoring: secret) else { throw .invalidSize }
    self = key
  }
}

/// The vault key in a backup, under a passphrase that was chosen for the backup.
package typealias BackupKeyFile = KeyFile<VaultKey>

/// The keys of an admin on one machine.
package typealias AdminFile = KeyFile<PartyKeys>

/// The key that opens what admins deliver to one machine.
///
/// It is not in the device file, because the program that syncs holds that: it would open the credentials of apps. Under
/// a passphrase, because the log keeps the boxes for ever: an open key would open the keys of an app that requires it.
package typealias DeliveryFile = KeyFile<AgreementKey>

/// A key in a file, protected by the machine's passphrase, or unprotected if the owner chose so.
package struct KeyFile<Key: FileKey>: SecretObject {
  package let genesis: EntryHash
  private let secret: ProtectedSecret

  /// Seals the key under a passphrase of 1…1024 bytes. Without one, anybody who can read the file has the key.
  package init(
    genesis: EntryHash, key: Key, passphrase: SecretText?, cost: PasswordHashCost = .passphrase
  ) throws(CryptoError) {
    self.genesis = genesis
    secret = try ProtectedSecret(
      key.secret, passphrase: passphrase, cost: cost, context: Self.header(genesis, reserving: 64).bytes)
  }

  /// True if ``open(passphrase:)`` needs a passphrase.
  package var needsPassphrase: Bool { secret.needsPassphrase }

  /// Returns the key.
  ///
  /// - Throws: ``CryptoError/authenticationFailed`` for a wrong or missing passphrase.
  package func open(passphrase: SecretText?) throws(CryptoError) -> Key {
    try Key(secret: secret.open(passphrase: passphrase, context: Self.header(genesis, reserving: 64).bytes))
  }

  package func secretBytes() -> [UInt8] {
    // Room for everything: an array that grows leaves copies of the key behind.
    var writer = Self.header(genesis, reserving: 512)
    secret.write(to: &writer)
    return writer.bytes
  }

  package init(secretBytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(secretBytes, object: Key.file.name)
    try reader.begin(Key.file)
    genesis = EntryHash(try reader.bytes32("genesis"))
    secret = try ProtectedSecret(from: &reader, byteCount: Key.secretByteCount)
    try reader.finish()
  }

  /// What the passphrase's slot is bound to: another file of this vault must not be taken for this one.
  private static func header(_ genesis: EntryHash, reserving byteCount: Int) -> ByteWriter {
    var writer = ByteWriter(reserving: byteCount)
    writer.begin(Key.file)
    writer.fixed(genesis.raw)
    return writer
  }
}
