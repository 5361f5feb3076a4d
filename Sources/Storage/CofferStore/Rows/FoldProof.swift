package import CofferCrypto
package import CofferFormat

/// An author's proof that it has verified the log up to the end of a fold: a MAC under a key of that author. Any
/// program can write such a row, so only an author who can compute the MAC may rely on it.
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

/// Look-ups of folds of the log.
extension StoreAccess where Self: ~Copyable {
  /// Returns the proof of an author; nil if it has none.
  package func foldProof(of author: AuthorID) throws(StoreError) -> FoldProof? {
    let rows = try connection.statement("SELECT fold, mac FROM fold_proof WHERE author = ?1", [.id(author.raw)])
    guard try rows.step() else { return nil }
    return FoldProof(
      author: author, fold: try rows.bytes32(0, "fold_proof.fold"), mac: try rows.bytes32(1, "fold_proof.mac"))
  }

  /// Returns a fold that the caller compares with its hash; nil if the store has none of at most
  /// ``Limits/foldByteCount``.
  package func fold(_ hash: Bytes32) throws(StoreError) -> [UInt8]? {
    let rows = try connection.statement(
      "SELECT object FROM fold WHERE hash = ?1 AND length(object) <= ?2",
      [.hash(hash), .integer(Int64(Limits.foldByteCount))])
    return try rows.step() ? rows.bytes(0) : nil
  }

  /// Whether the store has an entry of another branch of the log.
  package func hasCompetingEntries() throws(StoreError) -> Bool {
    try connection.integer("SELECT 1 FROM rival LIMIT 1") != nil
  }
}

/// Folds of the log, which authors have verified.
extension StoreWriter {
  /// Stores the fold that an author has verified, in place of its earlier one, with the number of its last entry. Folds
  /// that end before `oldest` are deleted, whoever has verified them.
  package func insertFold(
    _ object: [UInt8], endingAt sequence: UInt64, _ proof: FoldProof, keepingSince oldest: UInt64
  ) throws(StoreError) {
    // Another app may have written the same megabytes, and another program something else under this hash.
    let isKnown = try connection.integer(
      "SELECT 1 FROM fold WHERE hash = ?1 AND sequence = ?2 AND object = ?3",
      [.hash(proof.fold), .integer(Int64(clamping: sequence)), .blob(object)])
    if isKnown == nil {
      try connection.run(
        "INSERT OR REPLACE INTO fold (hash, sequence, object) VALUES (?1, ?2, ?3)",
        [.hash(proof.fold), .integer(Int64(clamping: sequence)), .blob(object)])
    }
    try connection.run(
      "INSERT OR REPLACE INTO fold_proof (author, fold, mac) VALUES (?1, ?2, ?3)",
      [.id(proof.author.raw), .hash(proof.fold), .hash(proof.mac)])
    try connection.run("DELETE FROM fold WHERE sequence < ?1", [.integer(Int64(clamping: oldest))])
    try connection.run("DELETE FROM fold_proof WHERE fold NOT IN (SELECT hash FROM fold)")
    try connection.run("DELETE FROM fold WHERE hash NOT IN (SELECT fold FROM fold_proof)")
  }
}
