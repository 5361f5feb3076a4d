package import CofferCrypto
package import CofferFormat

/// The keys of an admin on one machine, protected by the machine's passphrase, or unprotected if the owner chose so.
package struct AdminFile: Sendable {
  private enum Protection: Sendable {
    case none(PartyKeys)
    case passphrase(PassphraseSlot)
  }

  package let genesis: EntryHash
  private let protection: Protection

  /// Creates a file without a passphrase. Anybody who can read it can act as the admin.
  package init(genesis: EntryHash, unprotected keys: PartyKeys) {
    self.genesis = genesis
    protection = .none(keys)
  }

  /// Seals the keys under a passphrase of 1…1024 bytes.
  package init(
    genesis: EntryHash, keys: PartyKeys, passphrase: SecretText, cost: PasswordHashCost = .passphrase
  ) throws(CryptoError) {
    self.genesis = genesis
    protection = .passphrase(
      try PassphraseSlot(sealing: keys.secret, passphrase: passphrase, cost: cost, context: genesis.raw.bytes))
  }

  /// True if ``open(passphrase:)`` needs a passphrase.
  package var needsPassphrase: Bool {
    if case .passphrase = protection { true } else { false }
  }

  /// Returns the admin's keys.
  ///
  /// - Throws: ``CryptoError/authenticationFailed`` for a wrong or missing passphrase.
  package func open(passphrase: SecretText?) throws(CryptoError) -> PartyKeys {
    switch protection {
    case .none(let keys): return keys
    case .passphrase(let slot):
      guard let passphrase else { throw .authenticationFailed }
      return try PartyKeys(secret: slot.open(passphrase: passphrase, context: genesis.raw.bytes))
    }
  }

  /// Returns the file's bytes. They are secret if the file has no passphrase; the caller must wipe them.
  package func secretBytes() -> [UInt8] {
    var writer = ByteWriter()
    writer.begin(.adminFile)
    writer.fixed(genesis.raw)
    switch protection {
    case .none(let keys):
      writer.u8(0)
      writer.secret(keys.secret)
    case .passphrase(let slot):
      writer.u8(1)
      slot.write(to: &writer)
    }
    return writer.bytes
  }

  /// Reads the file's bytes. The caller must wipe them.
  package init(secretBytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(secretBytes, object: ObjectKind.adminFile.name)
    try reader.begin(.adminFile)
    genesis = EntryHash(try reader.bytes32("genesis"))
    switch try reader.u8("protection") {
    case 0: protection = .none(try reader.partyKeys("keys"))
    case 1: protection = .passphrase(try PassphraseSlot(from: &reader))
    default: throw reader.failure(.invalidValue, "protection")
    }
    try reader.finish()
  }
}
