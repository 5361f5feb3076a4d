internal import CofferCrypto
internal import CofferFormat

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
