package import CofferCrypto

/// One generation of the vault-wide key that seals all synced objects.
package struct TransportKey: Coded {
  /// The number of the generation, 1 for the first.
  package let generation: UInt32
  package let key: SymmetricKey

  /// Generates a random key of the first generation.
  package static func random() -> TransportKey { TransportKey(generation: 1, key: .random()) }

  package init(generation: UInt32, key: SymmetricKey) {
    self.generation = generation
    self.key = key
  }

  /// Writes the key. The caller wipes the written bytes.
  package func write(to writer: inout ByteWriter) {
    writer.u32(generation)
    writer.secret(key.secret)
  }

  /// Reads a key. The caller wipes the bytes that are read from.
  package init(from reader: inout ByteReader) throws(FormatError) {
    generation = try reader.u32("generation")
    key = try reader.symmetricKey("transport key")
  }

  /// Generates a random key of the next generation.
  package func next() -> TransportKey { TransportKey(generation: generation + 1, key: .random()) }

  /// Generates a key of the next generation. With a first key, the boxes alone do not lead to it.
  package func next(mixing first: TransportKey?) -> NewTransportKey {
    let boxed = SymmetricKey.random()
    return NewTransportKey(
      key: TransportKey(generation: generation + 1, key: first?.mixed(with: boxed.secret) ?? boxed),
      boxed: boxed.secret)
  }

  /// Mixes this key, which is the first of its vault, with what the boxes of a later key seal.
  private func mixed(with boxed: SecretBytes) -> SymmetricKey {
    Hash.key(from: boxed, key: key.derived(context: "CfTrMix1").secret, domain: .mixedKey)
  }

  /// Seals `previous`, so that a holder of this generation also has the previous one.
  package func wrap(_ previous: TransportKey, in vault: VaultID) -> [UInt8] {
    key.derived(context: "CfTrWrap").seal(
      previous.key.secret, associated: Self.wrapContext(of: previous.generation, in: vault))
  }

  /// Opens the previous generation, which ``wrap(_:in:)`` sealed. Throws ``CryptoError/invalidSize`` for the first
  /// generation.
  package func unwrapPrevious(_ wrapped: [UInt8], in vault: VaultID) throws(CryptoError) -> TransportKey {
    guard generation > 1 else { throw .invalidSize }
    let secret = try key.derived(context: "CfTrWrap")
      .openSecret(wrapped, associated: Self.wrapContext(of: generation - 1, in: vault))
    return TransportKey(generation: generation - 1, key: try SymmetricKey(secret))
  }

  /// Whether a statement that introduces this key wraps the one before it: whoever gets this key only, such as a later
  /// root, could otherwise open nothing that is older. True for the first key, which wraps nothing: the log has no
  /// commitment to a key before then.
  package func wraps(_ wrapped: [UInt8], previous commitment: Bytes32?, in vault: VaultID) -> Bool {
    guard generation > 1 else { return true }
    return (try? unwrapPrevious(wrapped, in: vault))?.commitment == commitment
  }

  private static func wrapContext(of generation: UInt32, in vault: VaultID) -> [UInt8] {
    var writer = ByteWriter()
    writer.fixed(vault.raw)
    writer.u32(generation)
    return writer.bytes
  }

  /// The commitment to the key in the log, which does not reveal it.
  package var commitment: Bytes32 { Hash.commitment(to: key.secret, domain: .keyCommitment) }

  /// Opens the key that an envelope introduces, with the first of its boxes that is sealed to `keys`; nil if there is
  /// none, or it does not lead to the key. Boxes are not labelled. The caller must compare ``commitment`` with the
  /// statement inside.
  package init?(introducedBy envelope: Envelope, openedBy keys: AgreementKey, mixing first: [TransportKey]) {
    guard let boxed = envelope.boxes.lazy.compactMap({ try? SymmetricKey(keys.open($0)) }).first else { return nil }
    self.init(boxed: boxed, in: envelope, mixing: first)
  }

  /// Takes what a box of an envelope seals, and finds the key under which the envelope is sealed: that itself, or mixed
  /// with one of the first keys that the vault may have.
  package init?(boxed: SymmetricKey, in envelope: Envelope, mixing first: [TransportKey]) {
    let candidates = first.lazy.map { $0.mixed(with: boxed.secret) }
    let mixed = candidates.first(where: envelope.isSealed(under:))
    guard let key = mixed ?? (envelope.isSealed(under: boxed) ? boxed : nil) else { return nil }
    self.init(generation: envelope.generation, key: key)
  }
}

/// A transport key that its creator is about to introduce.
package struct NewTransportKey: Sendable {
  package let key: TransportKey
  /// The 32 bytes for the boxes: the key itself, or what the vault's first key is mixed with.
  package let boxed: SecretBytes
}

/// A generation of the vault-wide key that seals all synced objects. Its boxes are in the entry's envelope, because
/// they must be readable before the entry is.
package struct TransportKeyStatement: Hashable, Fielded {
  /// The number of the generation, 1 for the first.
  package let generation: UInt32
  /// The commitment to the key, against which each recipient checks the key from its box.
  package let commitment: Bytes32
  /// The previous generation, sealed under this one; empty for the first.
  package let wrappedPrevious: [UInt8]
  /// The hash of the boxes, see ``Envelope/boxesHash``: whoever can seal the entry again could otherwise leave them
  /// out, and nobody without the key could open it any more.
  package let boxes: Bytes32

  /// Whether it introduces a first key that no box delivers. Each later key of such a vault is mixed with it.
  package var isMixedIntoLaterKeys: Bool { generation == 1 && boxes == Envelope.hash(of: []) }

  /// Takes the previous generation, sealed under this one, and the boxes in the order in which the envelope of the
  /// entry has them.
  package init(generation: UInt32, commitment: Bytes32, wrappedPrevious: [UInt8], boxes: [[UInt8]]) {
    self.generation = generation
    self.commitment = commitment
    self.wrappedPrevious = wrappedPrevious
    self.boxes = Envelope.hash(of: boxes)
  }

  package init(_ known: TransportKeyStatement?, _ coder: inout FieldCoder) throws(FormatError) {
    generation = try coder.u32(known?.generation, "generation")
    commitment = try coder.bytes32(known?.commitment, "commitment")
    wrappedPrevious = try coder.data(
      known?.wrappedPrevious, "wrapped previous", cap: 32 + SymmetricKey.overheadByteCount)
    boxes = try coder.bytes32(known?.boxes, "boxes")
  }
}
