package import CofferCrypto

/// Root's secret keys, sealed under the vault key: the repository's file `root`.
///
/// Root signs its own slot, which tells a wrong vault key (the signature holds, the slot does not open) from an altered
/// repository (the signature does not hold).
package struct RootSlot: Sendable {
  /// The vault it belongs to.
  package let genesis: EntryHash
  /// Grows with each change of the vault key; the greatest known counts.
  package let revision: UInt32
  /// The object's bytes, signature included.
  package let bytes: [UInt8]
  private let commitment: Bytes32
  private let sealed: [UInt8]
  private let associated: [UInt8]

  /// Seals root under the vault key.
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

  /// Reads a slot and checks that it is this vault's and signed by its root.
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

  /// Opens root's keys. Throws ``CryptoError/authenticationFailed`` for the wrong vault key.
  package func open(with vaultKey: VaultKey) throws(CryptoError) -> PartyKeys {
    let key = vaultKey.sealing
    guard key.slotCommitment(to: associated) == commitment else { throw .authenticationFailed }
    return try PartyKeys(secret: key.slotSealing.openSecret(sealed, associated: associated))
  }
}

extension SymmetricKey {
  /// Binds a slot to one key: the AEAD alone would open one ciphertext under two keys made for it.
  func slotCommitment(to associated: [UInt8]) -> Bytes32 {
    derived(context: "CfSlotCm").keyedHash32(associated, domain: .slotCommitment)
  }

  /// The subkey that seals a slot's content.
  var slotSealing: SymmetricKey { derived(context: "CfSlotSl") }
}
