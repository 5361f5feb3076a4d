package import CofferCrypto

/// The result of comparing the summary with the rows.
package enum SummaryComparison: Hashable, Sendable {
  /// The rows are those that Coffer programs wrote.
  case equal
  /// The store has no summary: the program that wrote it could not read this machine's keys.
  case absent
  /// Another program changed rows of these tables, or the summary.
  case different([String])
}

extension StoreAccess where Self: ~Copyable {
  /// Compares the summary with the rows. Reads every row of the summarised tables without the contents of records, unless
  /// the store was compared within the last day and only Coffer's programs have written to it since.
  package func compareSummary(_ key: SymmetricKey) throws(StoreError) -> SummaryComparison {
    guard let sealed = try connection.bytes("SELECT state FROM summary WHERE id = 1") else { return .absent }
    guard let summary = StoreSummary(sealed: sealed, key: key) else { return .different([]) }
    let isKnown = try connection.stamp?.examine(connection, { key }) == true
    #if !DEBUG
      if isKnown { return .equal }
    #endif
    let current = try StoreSummary.compute(connection, key)
    let tables = SummaryTable.allCases.filter { summary[$0] != current[$0] }
    guard tables.isEmpty else {
      // Debug builds read the rows in any case, so every test of a changed store is one of the stamp too.
      assert(!isKnown, "the stamp says that the rows of \(tables.map(\.name)) are those of the summary")
      return .different(tables.map(\.name))
    }
    if !isKnown { try connection.stamp?.recordComparison(connection, key, isTentative: false) }
    return .equal
  }

  /// Returns the numbers of log entries and of records that the summary counts, or nil without a summary that the key
  /// opens.
  package func summarisedCounts(_ key: SymmetricKey) throws(StoreError) -> (log: Int, records: Int)? {
    guard let sealed = try connection.bytes("SELECT state FROM summary WHERE id = 1"),
      let summary = StoreSummary(sealed: sealed, key: key)
    else { return nil }
    return (Int(clamping: summary[.log].count), Int(clamping: summary[.record].count))
  }
}

extension StoreWriter {
  /// Writes the summary of the rows that the store has now, after a check.
  package func replaceSummary(_ key: SymmetricKey) throws(StoreError) {
    connection.summary?.reset()
    let summary = try StoreSummary.compute(connection, key)
    try connection.run(
      "INSERT OR REPLACE INTO summary (id, state) VALUES (1, ?1)", [.blob(summary.sealed(with: key))])
    try connection.stamp?.recordComparison(connection, key, isTentative: true)
  }
}
