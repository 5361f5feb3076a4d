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

  /// Reads a genesis and verifies that it is signed by the root that it names, unless `isVerified` says that the reader
  /// has verified this one before: its hash covers everything but the signature.
  package init(bytes: [UInt8], isVerified: (Genesis) -> Bool = { _ in false }) throws(FormatError) {
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
    self.bytes = bytes
    hash = EntryHash(digest)
    guard isVerified(self) || root.verifying.verifies(signature, of: digest, domain: .genesis) else {
      throw reader.failure(.badSignature, "signature")
    }
  }
}

/// Root's secret keys, sealed under the vault key: a file of the repository.
///
/// Root signs its own slot. This distinguishes a wrong vault key (valid signature, cannot be opened) from an altered
/// repository (invalid signature). The first root's keys are in the genesis. Anybody can sign the slot of a later root,
/// which is trusted because a succession in the log names its hash.
package struct RootSlot: Sendable {
  package let genesis: EntryHash
  /// The number of the root, 1 for that of the genesis.
  package let generation: UInt32
  package let root: PartyPublicKeys
  /// The object's bytes, signature included.
  package let bytes: [UInt8]
  /// The hash of the signed part.
  package let hash: Bytes32
  private let commitment: Bytes32
  private let sealed: [UInt8]
  /// The vault's first transport key; empty in a vault in which boxes deliver that.
  private let sealedFirstKey: [UInt8]
  private let associated: [UInt8]

  /// The maximum size of the object.
  package static let byteLimit = 4096

  private static let boxedVersion: UInt8 = 2

  /// Seals a root's keys under its vault key, with the first transport key if no box delivers that, and signs the slot.
  package init(
    genesis: Genesis, generation: UInt32, root: PartyKeys, firstKey: TransportKey? = nil, under vaultKey: VaultKey
  ) {
    self.genesis = genesis.hash
    self.generation = generation
    self.root = root.publicKeys
    var writer = ByteWriter()
    writer.begin(.rootSlot, version: firstKey == nil ? Self.boxedVersion : nil)
    writer.fixed(genesis.hash.raw)
    writer.u32(generation)
    writer.publicKeys(root.publicKeys)
    associated = writer.bytes
    let key = vaultKey.sealing
    commitment = key.slotCommitment(to: associated)
    sealed = key.slotSealing.seal(root.secret, associated: associated)
    if let firstKey {
      sealedFirstKey = key.slotKeySealing.seal(firstKey.key.secret, associated: associated)
    } else {
      sealedFirstKey = []
    }
    writer.fixed(commitment)
    writer.data(sealed)
    writer.fixed(sealedFirstKey)
    hash = Hash.digest(writer.bytes, domain: .rootSlot)
    writer.fixed(root.signing.sign(hash, domain: .rootSlot).bytes)
    bytes = writer.bytes
  }

  /// Reads a slot and verifies that it belongs to this vault and is signed by the root that it names, which is that of
  /// the genesis in a slot of generation 1. The caller must compare the hash of a later one with the log.
  package init(bytes: [UInt8], of genesis: Genesis) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.rootSlot.name)
    let version = try reader.begin(.rootSlot, since: Self.boxedVersion)
    self.genesis = EntryHash(try reader.bytes32("genesis"))
    generation = try reader.u32("generation")
    root = try reader.publicKeys("root")
    guard generation > 0 else { throw reader.failure(.invalidValue, "generation") }
    associated = reader.consumed
    commitment = try reader.bytes32("commitment")
    sealed = try reader.data("sealed root", cap: 64 + SymmetricKey.overheadByteCount)
    let isKeySealed = version > Self.boxedVersion
    sealedFirstKey =
      isKeySealed ? try reader.fixed(32 + SymmetricKey.overheadByteCount, "sealed transport key") : []
    hash = reader.digestOfConsumed(.rootSlot)
    let signature = try reader.signature()
    try reader.finish()
    guard self.genesis == genesis.hash else { throw reader.failure(.otherVault, "genesis") }
    guard (generation == 1) == (root == genesis.root) else { throw reader.failure(.invalidValue, "root") }
    guard root.verifying.verifies(signature, of: hash, domain: .rootSlot) else {
      throw reader.failure(.badSignature, "signature")
    }
    self.bytes = bytes
  }

  /// Reads to which vault a slot claims to belong; nil for bytes that are no slot.
  package static func genesis(in bytes: [UInt8]) -> EntryHash? {
    var reader = ByteReader(bytes, object: ObjectKind.rootSlot.name)
    do throws(FormatError) {
      _ = try reader.begin(.rootSlot, since: boxedVersion)
      return EntryHash(try reader.bytes32("genesis"))
    } catch {
      return nil
    }
  }

  /// Reads the slot of the first root. That of a later one is refused, because anybody can sign it: the log has to name
  /// it.
  package static func first(bytes: [UInt8], of genesis: Genesis) throws(FormatError) -> RootSlot {
    let slot = try RootSlot(bytes: bytes, of: genesis)
    guard slot.generation == 1 else {
      throw FormatError(.invalidValue, object: ObjectKind.rootSlot.name, field: "generation")
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

  /// Opens the vault's first transport key; nil in a vault in which boxes deliver that. The caller must compare it with
  /// the log. Throws ``CryptoError/authenticationFailed`` for a wrong vault key.
  package func firstKey(openedWith vaultKey: VaultKey) throws(CryptoError) -> TransportKey? {
    guard !sealedFirstKey.isEmpty else { return nil }
    let secret = try vaultKey.sealing.slotKeySealing.openSecret(sealedFirstKey, associated: associated)
    return TransportKey(generation: 1, key: try SymmetricKey(secret))
  }
}

extension SymmetricKey {
  /// Returns a commitment that binds a slot to one key. Without it, a ciphertext could be crafted that opens under two
  /// keys.
  func slotCommitment(to associated: [UInt8]) -> Bytes32 {
    derived(context: "CfSlotCm").keyedHash32(associated, domain: .slotCommitment)
  }

  /// The subkey that seals a slot's content.
  var slotSealing: SymmetricKey { derived(context: "CfSlotSl") }

  /// The subkey that seals the transport key in a root slot.
  var slotKeySealing: SymmetricKey { derived(context: "CfSlotTr") }
}
