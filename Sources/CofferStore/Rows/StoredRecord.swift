package import CofferCrypto
package import CofferFormat

/// What the folded log says of a stored record's author. Refused records are never stored.
package enum Standing: Int64, Hashable, Sendable {
  /// The author may write to the group: the record counts.
  case valid = 1
  /// The author is not known yet: the record is kept, and neither is a head nor covers one.
  case pending = 2
}

/// A record as the store holds it. Columns beside it are hints: ``record()`` reads the signed bytes.
package struct StoredRecord: Hashable, Sendable {
  /// The signed part and the signature.
  package let signedBytes: [UInt8]
  /// Empty in a tombstone.
  package let sealedAttributes: [UInt8]
  /// Empty in a tombstone; nil where the look-up left values out.
  package let sealedValue: [UInt8]?
  package let standing: Standing
  /// The row, for ``StoreWriter/setVerified(_:)``.
  package let row: Int64
  /// What the author who asked has left as its proof that it verified the record; empty where there is none.
  package let verification: [UInt8]

  /// Reads the record and checks that the sealed parts are the signed ones. The signature is the caller's to check.
  package func record() throws(FormatError) -> Record {
    try Record(signedBytes: signedBytes, sealedAttributes: sealedAttributes, sealedValue: sealedValue)
  }
}

/// An author's proof that it has verified a record: a MAC under a key of its own. Anybody can write such a row, so that it counts
/// only for whoever can compute the MAC.
package struct RecordVerification: Hashable, Sendable {
  package let row: Int64
  package let author: AuthorID
  package let mac: Bytes16

  package init(row: Int64 = 0, author: AuthorID, mac: Bytes16) {
    self.row = row
    self.author = author
    self.mac = mac
  }
}
