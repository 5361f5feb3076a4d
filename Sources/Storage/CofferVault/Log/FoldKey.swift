package import CofferCrypto
package import CofferFormat
internal import CofferStore

/// The key under which an author recognises the folds of the log that it has verified. Only the author can derive it: with
/// a key of the machine, another app could forge a membership.
package struct FoldKey: Sendable {
  package let author: AuthorID
  private let genesis: EntryHash
  private let key: SymmetricKey

  package init(author: AuthorID, keys: PartyKeys, genesis: EntryHash) {
    self.author = author
    self.genesis = genesis
    key = Hash.key(from: keys.secret, domain: .foldKey)
  }

  /// Returns the proof that the author has verified a fold.
  func proof(of fold: Bytes32) -> FoldProof {
    let signed = genesis.raw.bytes + author.raw.bytes + fold.bytes
    return FoldProof(author: author, fold: fold, mac: key.keyedHash32(signed, domain: .foldProof))
  }
}
