package import CofferCrypto
package import CofferFormat

/// An author's proof that it has verified a record: a MAC under a key of that author. Any program can write such a row,
/// so only an author who can compute the MAC may rely on it.
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
