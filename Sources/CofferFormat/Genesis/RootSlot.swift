package import CofferCrypto

/// Root's secret keys, sealed under the vault key: the repository's file `root`.
///
/// Root signs its own slot. This distinguishes a wrong vault key (valid signature, cannot be opened) from an altered
/// repository (invalid signature).
package struct RootSlot: Sendable {
  /// The genesis of the vault.
  package let genesis: EntryHash
  /// A number that increases with each change of the vault key. The slot with the greatest revision is current.
  package let revision: UInt32
  /// The object's bytes, signature included.
  package let bytes: [UInt8]
  private let commitment: Bytes32
  private let sealed: [UInt8]
  private let associated: [UInt8]

  /// Seals root's keys under the vault key, and signs the slot.
  package init(genesis: Genesis, revision: UInt32, root: PartyKeys, under vaultKey: VaultKey) {
    self.genesis = genesis.hash
    self.revision = revision
    var writer = ByteWriter()
    writer.begin(.rootSlot)
    writer.fixed(genesis.hash.raw)
    writer.u32(revision)
    associated = writer.bytes
    let key = vaultKey.sealing
    commitment = key.slotCommitment(to: associated)
    sealed = key.slotSealing.seal(root.secret, associated: associated)
    writer.fixed(commitment)
    writer.data(sealed)
    let digest = Hash.digest(writer.bytes, domain: .rootSlot)
    writer.fixed(root.signing.sign(digest, domain: .rootSlot).bytes)
    bytes = writer.bytes
  }

  /// Reads a slot and verifies that it belongs to this vault and is signed by its root.
  package init(bytes: [UInt8], of genesis: Genesis) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.rootSlot.name)
    try reader.begin(.rootSlot)
    self.genesis = EntryHash(try reader.bytes32("genesis"))
    revision = try reader.u32("revision")
    associated = reader.consumed
    commitment = try reader.bytes32("commitment")
    sealed = try reader.data("sealed root", cap: 64 + SymmetricKey.overheadByteCount)
    let digest = reader.digestOfConsumed(.rootSlot)
    let signature = try reader.signature()
    try reader.finish()
    guard self.genesis == genesis.hash else { throw reader.failure(.otherVault, "genesis") }
    guard genesis.root.verifying.verifies(signature, of: digest, domain: .rootSlot) else {
      throw reader.failure(.badSignature, "signature")
    }
    self.bytes = bytes
  }

  /// Opens root's keys.
  ///
  /// - Throws: ``CryptoError/authenticationFailed`` for a wrong vault key.
  package func open(with vaultKey: VaultKey) throws(CryptoError) -> PartyKeys {
    let key = vaultKey.sealing
    guard key.slotCommitment(to: associated) == commitment else { throw .authenticationFailed }
    return try PartyKeys(secret: key.slotSealing.openSecret(sealed, associated: associated))
  }
}
