package import CofferCrypto
package import CofferFormat

/// The keys of an app on one machine: the file with which a program acts as that app. They are sealed under the
/// machine's passphrase if the app was registered as locked.
///
/// The file also has the vault's identity, so that a program refuses another vault, and the last log position seen.
/// Both are readable while the app is locked.
package struct Credential: SecretObject {
  package let genesis: EntryHash
  package let applicationID: String
  package let device: DeviceID
  /// The latest log position that this app has seen. Not sealed, because it advances while the app is locked.
  package private(set) var seen: LogPosition
  /// The principal to which the keys belong.
  package let author: AuthorID
  private let secret: ProtectedSecret

  /// Seals the keys under a passphrase of 1…1024 bytes. Without one, anybody who can read the file can act as the app.
  package init(
    genesis: EntryHash, applicationID: String, device: DeviceID, keys: PartyKeys, in vault: VaultID, seen: LogPosition,
    passphrase: SecretText? = nil, cost: PasswordHashCost = .passphrase
  ) throws(CryptoError) {
    self.genesis = genesis
    self.applicationID = applicationID
    self.device = device
    self.seen = seen
    author = AuthorID(vault: vault, keys: keys.publicKeys)
    secret = try ProtectedSecret(
      keys.secret, passphrase: passphrase, cost: cost,
      context: Self.context(genesis, applicationID, device, author))
  }

  /// Returns the same credential with a later log position.
  package func advanced(to seen: LogPosition) -> Credential {
    var advanced = self
    advanced.seen = seen
    return advanced
  }

  /// True if ``open(passphrase:in:)`` needs a passphrase.
  package var needsPassphrase: Bool { secret.needsPassphrase }

  /// Opens the app's keys.
  ///
  /// - Throws: ``CryptoError/authenticationFailed`` if the passphrase is wrong or missing, the readable part of a
  ///   sealed credential was altered, or the keys are not those of ``author``.
  package func open(passphrase: SecretText?, in vault: VaultID) throws(CryptoError) -> PartyKeys {
    let context = Self.context(genesis, applicationID, device, author)
    let keys = try PartyKeys(secret: secret.open(passphrase: passphrase, context: context))
    guard AuthorID(vault: vault, keys: keys.publicKeys) == author else { throw .authenticationFailed }
    return keys
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

  package func secretBytes() -> [UInt8] {
    // Room for everything: an array that grows leaves copies of the keys behind.
    var writer = ByteWriter(reserving: 512 + applicationID.utf8.count)
    writer.begin(.credential)
    writer.fixed(genesis.raw)
    writer.string(applicationID)
    writer.fixed(device.raw)
    seen.write(to: &writer)
    writer.fixed(author.raw)
    secret.write(to: &writer)
    return writer.bytes
  }

  package init(secretBytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(secretBytes, object: ObjectKind.credential.name)
    try reader.begin(.credential)
    genesis = EntryHash(try reader.bytes32("genesis"))
    applicationID = try reader.string("application identifier", cap: Limits.identifierByteCount)
    device = DeviceID(try reader.bytes16("device"))
    seen = try LogPosition(from: &reader)
    author = AuthorID(try reader.bytes16("author"))
    secret = try ProtectedSecret(from: &reader, byteCount: 64)
    try reader.finish()
  }
}
