package import CofferFormat

/// A record in the store. Other columns of its row are hints; ``record()`` reads the signed bytes.
package struct StoredRecord: Hashable, Sendable {
  /// The signed part and the signature.
  package let signedBytes: [UInt8]
  /// Empty in a tombstone.
  package let sealedAttributes: [UInt8]
  /// Empty in a tombstone; nil if the look-up omitted values.
  package let sealedValue: [UInt8]?
  package let standing: Standing
  /// The row, for ``StoreWriter/setVerified(_:)``.
  package let row: Int64
  /// The MAC with which the requesting author proved that it verified the record; empty if there is none.
  package let verification: [UInt8]

  /// Reads the record and verifies that the sealed parts match the signed hashes. The caller must verify the signature.
  package func record() throws(FormatError) -> Record {
    try Record(signedBytes: signedBytes, sealedAttributes: sealedAttributes, sealedValue: sealedValue)
  }
}
