package import CofferCrypto
package import CofferFormat

/// An author's proof that it has verified the log up to the end of a fold: a MAC under a key of that author. Any program
/// can write such a row, so only an author who can compute the MAC may rely on it.
package struct FoldProof: Hashable, Sendable {
  package let author: AuthorID
  /// The hash of the fold.
  package let fold: Bytes32
  package let mac: Bytes32

  package init(author: AuthorID, fold: Bytes32, mac: Bytes32) {
    self.author = author
    self.fold = fold
    self.mac = mac
  }
}
