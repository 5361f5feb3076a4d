package import CofferCrypto

/// One sealed and signed version of an item. The local store and sync use the same bytes.
package struct Record: Hashable, Sendable {
  package let header: RecordHeader
  /// The signed part and the signature.
  package let signedBytes: [UInt8]
  /// Empty in a tombstone.
  package let sealedAttributes: [UInt8]
  /// Empty in a tombstone.
  package let sealedValue: [UInt8]
  /// The hash of the signed part, which identifies the record.
  package let hash: RecordHash
  private let signature: Signature
  /// The hash of the header, which both sealed parts authenticate.
  package let headerHash: Bytes32
  private let attributesHash: Bytes32
  private let valueHash: Bytes32

  /// Seals and signs a version. A tombstone has no sealed parts. The header is signed, not encrypted. `seal` also gets
  /// its hash, which the sealed bytes must authenticate.
  package init(header: RecordHeader, signer: SigningKey, seal: (RecordPart, Bytes32) -> [UInt8]) {
    self.init(header: header, sign: { $0.signature(by: signer) }, seal: seal)
  }

  /// Seals and signs a version like ``init(header:signer:seal:)``, with a signature that `sign` makes. Rethrows its
  /// error.
  package init<Failure: Error>(
    header: RecordHeader, sign: (UnsignedRecord) throws(Failure) -> Signature, seal: (RecordPart, Bytes32) -> [UInt8]
  ) throws(Failure) {
    var writer = ByteWriter(reserving: 512)
    header.write(to: &writer)
    let headerHash = Hash.digest(writer.bytes, domain: .recordParts)
    sealedAttributes = header.isTombstone ? [] : seal(.attributes, headerHash)
    sealedValue = header.isTombstone ? [] : seal(.value, headerHash)
    attributesHash = Hash.digest(sealedAttributes, domain: .sealedPart)
    valueHash = Hash.digest(sealedValue, domain: .sealedPart)
    let unsigned = UnsignedRecord(
      header: header, headerBytes: writer, attributesHash: attributesHash, valueHash: valueHash)
    signature = try sign(unsigned)
    self.header = header
    self.headerHash = headerHash
    hash = RecordHash(unsigned.digest)
    signedBytes = unsigned.bytes + signature.bytes
  }

  /// Reads a record from its three stored parts, and verifies that the sealed parts match the signed hashes.
  ///
  /// `sealedValue` is nil if the caller does not need the value. Opening it then fails.
  package init(signedBytes: [UInt8], sealedAttributes: [UInt8], sealedValue: [UInt8]?) throws(FormatError) {
    let skeleton = try RecordSkeleton(bytes: signedBytes)
    header = skeleton.header
    headerHash = skeleton.headerHash
    attributesHash = skeleton.attributesHash
    valueHash = skeleton.valueHash
    hash = skeleton.hash
    signature = skeleton.signature
    func failure(_ field: String) -> FormatError {
      FormatError(.invalidValue, object: ObjectKind.record.name, field: field)
    }
    guard Hash.digest(sealedAttributes, domain: .sealedPart) == attributesHash else {
      throw failure("sealed attributes")
    }
    if let sealedValue {
      guard Hash.digest(sealedValue, domain: .sealedPart) == valueHash else { throw failure("sealed value") }
    }
    guard !header.isTombstone || (sealedAttributes.isEmpty && (sealedValue ?? []).isEmpty) else {
      throw failure("tombstone")
    }
    self.signedBytes = signedBytes
    self.sealedAttributes = sealedAttributes
    self.sealedValue = sealedValue ?? []
  }

  /// Reads a record in the form used in segments.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.record.name)
    let signedBytes = try reader.data("signed part", cap: Limits.recordByteCount)
    let attributes = try reader.data("attributes", cap: Limits.recordByteCount)
    let value = try reader.data("value", cap: Limits.recordByteCount)
    try reader.finish()
    try self.init(signedBytes: signedBytes, sealedAttributes: attributes, sealedValue: value)
  }

  /// The bytes in the form used in segments.
  package var bytes: [UInt8] {
    var writer = ByteWriter(reserving: signedBytes.count + sealedAttributes.count + sealedValue.count + 12)
    writer.data(signedBytes)
    writer.data(sealedAttributes)
    writer.data(sealedValue)
    return writer.bytes
  }

  /// Returns true if the holder of `key` signed this record.
  package func isSigned(by key: VerifyingKey) -> Bool { key.verifies(signature, of: hash.raw, domain: .record) }

  /// Returns true if this version is the winner over another head of its item: the one with the greater time, author
  /// and hash, in this order.
  package func wins(over other: Record) -> Bool {
    (header.time, header.author, hash) > (other.header.time, other.header.author, other.hash)
  }
}

/// The parts of a record that are sealed separately, so that a list opens attributes and no values.
package enum RecordPart: UInt8, Sendable {
  case attributes = 1
  case value = 2
}

/// The signed part of a record with its signature, without the sealed parts. It tells who wrote the version, and which
/// versions of the item it supersedes.
package struct RecordSkeleton: Hashable, Sendable {
  package let header: RecordHeader
  /// The signed part and the signature.
  package let bytes: [UInt8]
  /// The hash of the signed part, which identifies the record.
  package let hash: RecordHash
  /// The hash of the header, which both sealed parts authenticate.
  let headerHash: Bytes32
  let attributesHash: Bytes32
  let valueHash: Bytes32
  let signature: Signature

  /// Reads a skeleton. The caller must verify the signature with ``isSigned(by:)``.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.record.name)
    header = try RecordHeader(from: &reader)
    headerHash = reader.digestOfConsumed(.recordParts)
    attributesHash = try reader.bytes32("attributes hash")
    valueHash = try reader.bytes32("value hash")
    hash = RecordHash(reader.digestOfConsumed(.record))
    signature = try reader.signature()
    try reader.finish()
    self.bytes = bytes
  }

  /// Returns true if the holder of `key` signed the record.
  package func isSigned(by key: VerifyingKey) -> Bool { key.verifies(signature, of: hash.raw, domain: .record) }
}

/// The part of a record that its author signs.
package struct UnsignedRecord: Hashable, Sendable {
  package let header: RecordHeader
  /// The bytes that are signed: the header and the hashes of the sealed parts.
  package let bytes: [UInt8]

  /// Takes the header, its bytes, and the hashes of the sealed parts.
  init(header: RecordHeader, headerBytes: ByteWriter, attributesHash: Bytes32, valueHash: Bytes32) {
    var writer = headerBytes
    writer.fixed(attributesHash)
    writer.fixed(valueHash)
    self.header = header
    bytes = writer.bytes
  }

  /// Reads the bytes.
  package init(bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: ObjectKind.record.name)
    header = try RecordHeader(from: &reader)
    _ = try reader.bytes32("hash of the attributes")
    _ = try reader.bytes32("hash of the value")
    try reader.finish()
    self.bytes = bytes
  }

  /// The digest that identifies and is signed.
  var digest: Bytes32 { Hash.digest(bytes, domain: .record) }

  /// Returns the signature by a key.
  package func signature(by key: SigningKey) -> Signature { key.sign(digest, domain: .record) }
}
