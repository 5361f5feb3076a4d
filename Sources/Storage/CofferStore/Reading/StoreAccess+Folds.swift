package import CofferCrypto
package import CofferFormat

/// Look-ups of folds of the log.
extension StoreAccess where Self: ~Copyable {
  /// Returns the proof of an author; nil if it has none.
  package func foldProof(of author: AuthorID) throws(StoreError) -> FoldProof? {
    let rows = try connection.statement("SELECT fold, mac FROM fold_proof WHERE author = ?1", [.id(author.raw)])
    guard try rows.step() else { return nil }
    return FoldProof(
      author: author, fold: try rows.bytes32(0, "fold_proof.fold"), mac: try rows.bytes32(1, "fold_proof.mac"))
  }

  /// Returns a fold that the caller compares with its hash; nil if the store has none of at most ``Limits/foldByteCount``.
  package func fold(_ hash: Bytes32) throws(StoreError) -> [UInt8]? {
    let rows = try connection.statement(
      "SELECT object FROM fold WHERE hash = ?1 AND length(object) <= ?2",
      [.hash(hash), .integer(Int64(Limits.foldByteCount))])
    return try rows.step() ? rows.bytes(0) : nil
  }

  /// Whether the store has an entry of another branch of the log.
  package func hasRivals() throws(StoreError) -> Bool { try connection.integer("SELECT 1 FROM rival LIMIT 1") != nil }
}
