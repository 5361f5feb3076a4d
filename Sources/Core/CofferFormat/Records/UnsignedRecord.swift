package import CofferCrypto

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
