package import CofferCrypto

/// The first signed object of a vault, from which all trust is derived. Its hash is the vault's identity.
///
/// It contains no name, because it is stored unencrypted on the remote, so that a new machine can recognise the vault.
package struct Genesis: Hashable, Sendable {
  package let vault: VaultID
  package let created: Timestamp
  /// Root's public keys. Their secret halves are sealed under the vault key.
  package let root: PartyPublicKeys
  package let firstDevice: PartyPublicKeys
  /// The first machine's admin keys.
  package let firstAdmin: PartyPublicKeys
  /// The object's bytes, signature included.
  package let bytes: [UInt8]
  /// The hash of the signed part: the vault's identity.
  package let hash: EntryHash

  package init(
    vault: VaultID, created: Timestamp, root: PartyKeys, firstDevice: PartyPublicKeys, firstAdmin: PartyPublicKeys
  ) {
    self.vault = vault
    self.created = created
    self.root = root.publicKeys
    self.firstDevice = firstDevice
    self.firstAdmin = firstAdmin
    var writer = ByteWriter()
    writer.begin(.genesis)
    writer.fixed(vault.raw)
    writer.i64(created.microseconds)
    for keys in [root.publicKeys, firstDevice, firstAdmin] { writer.publicKeys(keys) }
    let digest = Hash.digest(writer.bytes, domain: .genesis)
    writer.fixed(root.signing.sign(digest, domain: .genesis).bytes)
    bytes = writer.bytes
    hash = EntryHash(digest)
  }

  /// Reads a genesis and verifies that it is signed by the root that it names.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.genesis.name)
    try reader.begin(.genesis)
    vault = VaultID(try reader.bytes16("vault"))
    created = Timestamp(microseconds: try reader.i64("created"))
    root = try reader.publicKeys("root")
    firstDevice = try reader.publicKeys("first device")
    firstAdmin = try reader.publicKeys("first admin")
    let digest = reader.digestOfConsumed(.genesis)
    let signature = try reader.signature()
    try reader.finish()
    guard root.verifying.verifies(signature, of: digest, domain: .genesis) else {
      throw reader.failure(.badSignature, "signature")
    }
    self.bytes = bytes
    hash = EntryHash(digest)
  }
}
