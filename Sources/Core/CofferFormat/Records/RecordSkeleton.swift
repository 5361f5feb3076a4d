package import CofferCrypto

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
  package func isSigned(by key: VerifyingKey) -> Bool {
    key.verifies(signature, of: hash.raw, domain: .record)
  }
}
