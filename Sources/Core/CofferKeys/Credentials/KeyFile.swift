package import CofferCrypto
package import CofferFormat
internal import CofferSystem

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
/// It is not in the device file, because the program that syncs holds that: it would open the credentials of apps.
/// Under a passphrase, because the log keeps the boxes for ever: an open key would open the keys of an app that
/// requires it.
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

/// A secret of a machine's owner in a file: open, or sealed under the machine's passphrase.
enum ProtectedSecret: Sendable {
  /// Anybody who can read the file has it.
  case open(SecretBytes)
  case sealed(PassphraseSlot)

  /// Seals a secret under a passphrase of 1…1024 bytes, with which `context` is authenticated. Without a passphrase,
  /// the secret stays open.
  init(
    _ secret: SecretBytes, passphrase: SecretText?, cost: PasswordHashCost, context: [UInt8]
  ) throws(CryptoError) {
    guard let passphrase else {
      self = .open(secret)
      return
    }
    self = .sealed(try PassphraseSlot(sealing: secret, passphrase: passphrase, cost: cost, context: context))
  }

  var needsPassphrase: Bool { if case .sealed = self { true } else { false } }

  /// Returns the secret. Throws ``CryptoError/authenticationFailed`` for a wrong or missing passphrase.
  func open(passphrase: SecretText?, context: [UInt8]) throws(CryptoError) -> SecretBytes {
    switch self {
    case .open(let secret): return secret
    case .sealed(let slot):
      guard let passphrase else { throw .authenticationFailed }
      return try slot.open(passphrase: passphrase, context: context)
    }
  }

  /// Writes the secret. The caller wipes the written bytes.
  func write(to writer: inout ByteWriter) {
    switch self {
    case .open(let secret):
      writer.u8(0)
      writer.secret(secret)
    case .sealed(let slot):
      writer.u8(1)
      slot.write(to: &writer)
    }
  }

  /// Reads a secret of a size. The caller wipes the bytes that are read from.
  init(from reader: inout ByteReader, byteCount: Int) throws(FormatError) {
    switch try reader.u8("protection") {
    case 0: self = .open(try reader.secret(byteCount, "keys"))
    case 1: self = .sealed(try PassphraseSlot(from: &reader))
    default: throw reader.failure(.invalidValue, "protection")
    }
  }
}

extension PasswordHashCost {
  /// The cost for new passphrases of machines: ``standard``.
  ///
  /// Debug builds use ``floor`` if the environment variable `COFFER_TEST_PASSPHRASE_COST` is `floor`, because tests
  /// unlock vaults thousands of times. A release build does not read the variable, and what is stored says its cost.
  package static let passphrase: PasswordHashCost = {
    #if DEBUG
      if CurrentProcess.variable("COFFER_TEST_PASSPHRASE_COST") == "floor" { return .floor }
    #endif
    return .standard
  }()
}
