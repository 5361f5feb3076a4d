package import CofferCrypto

/// Root's secret keys, sealed under the vault key: a file of the repository.
///
/// Root signs its own slot. This distinguishes a wrong vault key (valid signature, cannot be opened) from an altered
/// repository (invalid signature). The slot of the first root is signed by the keys in the genesis. A later one contains
/// the keys that sign it, and is trusted because a succession in the log names its hash.
package struct RootSlot: Sendable {
  package let genesis: EntryHash
  /// The number of the root, 1 for that of the genesis.
  package let generation: UInt32
  package let root: PartyPublicKeys
  /// A number by which slots of the first root differ; the greatest one is current. Nil in the slot of a later root.
  package let revision: UInt32?
  /// The object's bytes, signature included.
  package let bytes: [UInt8]
  /// The hash of the signed part.
  package let hash: Bytes32
  private let commitment: Bytes32
  private let sealed: [UInt8]
  private let associated: [UInt8]

  /// The maximum size of the object.
  package static let byteLimit = 4096

  /// Seals the first root's keys under the vault key, and signs the slot.
  package init(genesis: Genesis, revision: UInt32, root: PartyKeys, under vaultKey: VaultKey) {
    self.init(genesis: genesis, generation: 1, revision: revision, root: root, under: vaultKey)
  }

  /// Seals a later root's keys under its vault key, and signs the slot.
  package init(genesis: Genesis, generation: UInt32, root: PartyKeys, under vaultKey: VaultKey) {
    self.init(genesis: genesis, generation: generation, revision: nil, root: root, under: vaultKey)
  }

  private init(genesis: Genesis, generation: UInt32, revision: UInt32?, root: PartyKeys, under vaultKey: VaultKey) {
    self.genesis = genesis.hash
    self.generation = generation
    self.revision = revision
    self.root = root.publicKeys
    var writer = ByteWriter()
    writer.fixed(ObjectKind.rootSlot.magic)
    writer.u8(revision == nil ? 2 : 1)
    writer.fixed(genesis.hash.raw)
    if let revision {
      writer.u32(revision)
    } else {
      writer.u32(generation)
      writer.publicKeys(root.publicKeys)
    }
    associated = writer.bytes
    let key = vaultKey.sealing
    commitment = key.slotCommitment(to: associated)
    sealed = key.slotSealing.seal(root.secret, associated: associated)
    writer.fixed(commitment)
    writer.data(sealed)
    hash = Hash.digest(writer.bytes, domain: .rootSlot)
    writer.fixed(root.signing.sign(hash, domain: .rootSlot).bytes)
    bytes = writer.bytes
  }

  /// Reads a slot and verifies that it belongs to this vault and is signed: by the root of the genesis or, if it is of a
  /// later root, by the keys that it contains. The caller must compare the hash of the latter with the log.
  package init(bytes: [UInt8], of genesis: Genesis) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.rootSlot.name)
    let version = try reader.begin(.rootSlot, since: 1)
    self.genesis = EntryHash(try reader.bytes32("genesis"))
    if version == 1 {
      generation = 1
      revision = try reader.u32("revision")
      root = genesis.root
    } else {
      generation = try reader.u32("generation")
      guard generation > 1 else { throw reader.failure(.invalidValue, "generation") }
      revision = nil
      root = try reader.publicKeys("root")
    }
    associated = reader.consumed
    commitment = try reader.bytes32("commitment")
    sealed = try reader.data("sealed root", cap: 64 + SymmetricKey.overheadByteCount)
    hash = reader.digestOfConsumed(.rootSlot)
    let signature = try reader.signature()
    try reader.finish()
    guard self.genesis == genesis.hash else { throw reader.failure(.otherVault, "genesis") }
    guard root.verifying.verifies(signature, of: hash, domain: .rootSlot) else {
      throw reader.failure(.badSignature, "signature")
    }
    self.bytes = bytes
  }

  /// Reads the slot of the first root. That of a later one is refused, because anybody can sign it: the log has to name it.
  package static func first(bytes: [UInt8], of genesis: Genesis) throws(FormatError) -> RootSlot {
    let slot = try RootSlot(bytes: bytes, of: genesis)
    guard slot.generation == 1 else {
      throw FormatError(.invalidValue, object: ObjectKind.rootSlot.name, field: "version")
    }
    return slot
  }

  /// Opens root's keys. Throws ``CryptoError/authenticationFailed`` for a wrong vault key, and if the slot contains
  /// other keys than it states.
  package func open(with vaultKey: VaultKey) throws(CryptoError) -> PartyKeys {
    let key = vaultKey.sealing
    guard key.slotCommitment(to: associated) == commitment else { throw .authenticationFailed }
    let keys = try PartyKeys(secret: key.slotSealing.openSecret(sealed, associated: associated))
    guard keys.publicKeys == root else { throw .authenticationFailed }
    return keys
  }
}
