package import CofferCrypto

/// One signed statement of the membership log, chained to the previous entry.
package struct LogEntry: Hashable, Sendable {
  package enum Signer: Hashable, Sendable {
    /// The vault's root.
    case root
    /// A device's admin.
    case admin(AuthorID)
  }

  package let vault: VaultID
  /// The number of the entry, 1 for the first.
  package let sequence: UInt64
  /// The hash of the previous entry, or of the genesis for the first entry.
  package let previous: EntryHash
  package let time: Timestamp
  package let signer: Signer
  /// The kind of the body. Kept as a number, because entries of unknown kinds must be passed on unchanged.
  package let kind: UInt16
  /// True if a program that does not know the kind must stop writing.
  package let isCritical: Bool
  package let body: [UInt8]
  package let signature: Signature
  /// The object's bytes, signature included.
  package let bytes: [UInt8]
  /// The hash of the signed part.
  package let hash: EntryHash

  package var position: LogPosition { LogPosition(sequence: sequence, hash: hash) }

  /// Creates and signs the entry that follows `previous`.
  package init(
    vault: VaultID, after previous: LogPosition, time: Timestamp, signer: Signer, key: SigningKey,
    statement: Statement
  ) {
    self.vault = vault
    sequence = previous.sequence + 1
    self.previous = previous.hash
    self.time = time
    self.signer = signer
    kind = statement.kind
    isCritical = statement.isCritical
    body = statement.body
    var writer = ByteWriter(reserving: 512)
    writer.begin(.logEntry)
    writer.fixed(vault.raw)
    writer.u64(sequence)
    writer.fixed(previous.hash.raw)
    writer.i64(time.microseconds)
    writer.signer(signer)
    writer.u16(kind)
    writer.bool(isCritical)
    writer.data(body)
    let digest = Hash.digest(writer.bytes, domain: .logEntry)
    signature = key.sign(digest, domain: .logEntry)
    writer.fixed(signature.bytes)
    bytes = writer.bytes
    hash = EntryHash(digest)
  }

  /// Reads an entry. The caller must verify the signature with ``isSigned(by:)``.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.logEntry.name)
    try reader.begin(.logEntry)
    vault = VaultID(try reader.bytes16("vault"))
    sequence = try reader.place("sequence")
    guard sequence > 0 else { throw reader.failure(.invalidValue, "sequence") }
    previous = EntryHash(try reader.bytes32("previous"))
    time = Timestamp(microseconds: try reader.i64("time"))
    signer = try reader.signer()
    kind = try reader.u16("kind")
    isCritical = try reader.bool("critical")
    body = try reader.data("body", cap: Limits.logEntryByteCount)
    let digest = reader.digestOfConsumed(.logEntry)
    signature = try reader.signature()
    try reader.finish()
    self.bytes = bytes
    hash = EntryHash(digest)
  }

  /// Returns true if the holder of `key` signed this entry.
  package func isSigned(by key: VerifyingKey) -> Bool { key.verifies(signature, of: hash.raw, domain: .logEntry) }
}

extension LogEntry.Signer {
  /// The signer as an author, and as the recipient of boxes.
  package var id: AuthorID {
    switch self {
    case .root: .root
    case .admin(let id): id
    }
  }

  package init(_ id: AuthorID) { self = id == .root ? .root : .admin(id) }
}

extension ByteWriter {
  package mutating func signer(_ signer: LogEntry.Signer) {
    u8(signer == .root ? 1 : 2)
    fixed(signer.id.raw)
  }
}

extension ByteReader {
  package mutating func signer() throws(FormatError) -> LogEntry.Signer {
    let kind = try u8("signer")
    let signer = LogEntry.Signer(AuthorID(try bytes16("signer")))
    guard kind == (signer == .root ? 1 : 2) else { throw failure(.invalidValue, "signer") }
    return signer
  }
}

extension LogEntry {
  /// Opens the sealed form of an entry, and compares it with what the signer has made: whoever has the transport key
  /// can seal an entry again, and could leave out the boxes, which only the envelope has. The caller must verify the
  /// signature, and that no newer transport key seals the entry.
  ///
  /// With `acceptsOtherBoxes`, an entry that introduces this key may have other boxes than those that it names: for a
  /// reader that has the key, and that may not be shown the entry in another form. Throws `otherKind` for an envelope
  /// of something else, `doesNotOpen` for another key, and `invalidValue` if the entry introduces another transport key
  /// than this one, and for boxes that it does not name.
  package init(
    opening envelope: Envelope, with key: TransportKey, acceptingOtherBoxes acceptsOtherBoxes: Bool = false
  ) throws(FormatError) {
    guard envelope.content == .logEntry else {
      throw FormatError(.otherKind, object: ObjectKind.logEntry.name, field: "content")
    }
    try self.init(bytes: envelope.open(with: key.key))
    if let statement = try transportKeyStatement {
      guard statement.generation == envelope.generation, statement.commitment == key.commitment else {
        throw FormatError(.invalidValue, object: ObjectKind.envelope.name, field: "generation")
      }
      if acceptsOtherBoxes { return }
    }
    guard try names(boxesOf: envelope) else {
      throw FormatError(.invalidValue, object: ObjectKind.envelope.name, field: "boxes")
    }
  }

  /// Whether the boxes of an envelope are those that this entry names, in the order in which they were signed: at least
  /// one if it introduces a transport key after the first, otherwise none. A first key of version 0.2.0 has some.
  package func names(boxesOf envelope: Envelope) throws(FormatError) -> Bool {
    guard let statement = try transportKeyStatement else { return envelope.boxes.isEmpty }
    return (statement.generation == 1 || !envelope.boxes.isEmpty) && envelope.boxesHash == statement.boxes
  }

  /// The statement, if it introduces a transport key.
  package var transportKeyStatement: TransportKeyStatement? {
    get throws(FormatError) {
      guard kind == Statement.Kind.transportKey.rawValue, case .transportKey(let statement)? = try Statement.parse(self)
      else { return nil }
      return statement
    }
  }
}
