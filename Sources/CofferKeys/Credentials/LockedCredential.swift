package import CofferCrypto
package import CofferFormat

/// The keys of an app on one machine, protected by the machine's passphrase: the file of an app that was registered as
/// locked.
///
/// The unencrypted part is needed to report that the app is locked: the vault, the app, and the principal.
package struct LockedCredential: Sendable {
  package let genesis: EntryHash
  package let applicationID: String
  package let device: DeviceID
  /// The latest log position that this app has seen. Not sealed, because it advances while the app is locked.
  package let seen: LogPosition
  /// The principal to which the keys belong.
  package let author: AuthorID
  private let slot: PassphraseSlot

  /// Seals a credential under a passphrase of 1…1024 bytes.
  package init(
    sealing credential: Credential, vault: VaultID, passphrase: SecretText, cost: PasswordHashCost = .passphrase
  ) throws(CryptoError) {
    genesis = credential.genesis
    applicationID = credential.applicationID
    device = credential.device
    seen = credential.seen
    author = AuthorID(vault: vault, keys: credential.keys.publicKeys)
    slot = try PassphraseSlot(
      sealing: credential.keys.secret, passphrase: passphrase, cost: cost,
      context: Self.context(genesis, applicationID, device, author))
  }

  private init(_ credential: LockedCredential, seen: LogPosition) {
    genesis = credential.genesis
    applicationID = credential.applicationID
    device = credential.device
    self.seen = seen
    author = credential.author
    slot = credential.slot
  }

  /// Returns the same credential with a later log position.
  package func advanced(to seen: LogPosition) -> LockedCredential { LockedCredential(self, seen: seen) }

  /// Opens the app's keys.
  ///
  /// - Throws: ``CryptoError/authenticationFailed`` if the passphrase is wrong or the unencrypted part was altered.
  package func open(passphrase: SecretText, vault: VaultID) throws(CryptoError) -> Credential {
    let secret = try slot.open(
      passphrase: passphrase, context: Self.context(genesis, applicationID, device, author))
    let keys = try PartyKeys(secret: secret)
    guard AuthorID(vault: vault, keys: keys.publicKeys) == author else { throw .authenticationFailed }
    return Credential(genesis: genesis, applicationID: applicationID, device: device, keys: keys, seen: seen)
  }

  private static func context(
    _ genesis: EntryHash, _ applicationID: String, _ device: DeviceID, _ author: AuthorID
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.fixed(genesis.raw)
    writer.string(applicationID)
    writer.fixed(device.raw)
    writer.fixed(author.raw)
    return writer.bytes
  }

  /// The file's bytes.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.begin(.lockedCredential)
    writer.fixed(genesis.raw)
    writer.string(applicationID)
    writer.fixed(device.raw)
    writer.u64(seen.sequence)
    writer.fixed(seen.hash.raw)
    writer.fixed(author.raw)
    slot.write(to: &writer)
    return writer.bytes
  }

  /// Reads the file's bytes.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.lockedCredential.name)
    try reader.begin(.lockedCredential)
    genesis = EntryHash(try reader.bytes32("genesis"))
    applicationID = try reader.string("application identifier", cap: Limits.identifierByteCount)
    device = DeviceID(try reader.bytes16("device"))
    let sequence = try reader.place("log position")
    seen = LogPosition(sequence: sequence, hash: EntryHash(try reader.bytes32("log position")))
    author = AuthorID(try reader.bytes16("author"))
    slot = try PassphraseSlot(from: &reader)
    try reader.finish()
  }

  /// Returns true for bytes that start like a locked credential.
  package static func isKind(of bytes: [UInt8]) -> Bool { bytes.starts(with: ObjectKind.lockedCredential.magic) }
}
