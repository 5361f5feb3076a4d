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

  /// Opens the first of an envelope's boxes that is sealed to `keys`; nil if none is. The caller must open the envelope
  /// with the key and compare ``commitment`` with the statement inside.
  package init?(generation: UInt32, boxes: [[UInt8]], openedBy keys: AgreementKey) {
    for box in boxes {
      do throws(CryptoError) {
        self.init(generation: generation, key: try SymmetricKey(keys.open(box)))
        return
      } catch {
        // This box is sealed to another recipient: boxes are not labelled.
        continue
      }
    }
    return nil
  }
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
