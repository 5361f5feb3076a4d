internal import CofferCrypto
internal import Synchronization

/// Collects the changes of one write transaction to the summary.
final class SummaryRecorder: Sendable {
  private struct State {
    var keySource: (@Sendable () -> SymmetricKey?)?
    var key: SymmetricKey?
    /// Whether the store has a summary, once the transaction has changed a row.
    var hasSummary: Bool?
    var changes = StoreSummary()
  }

  private let state = Mutex(State())

  /// Sets the source of the key. It is called at the first change of a row.
  func setKeySource(_ source: @escaping @Sendable () -> SymmetricKey?) { state.withLock { $0.keySource = source } }

  /// Whether changes of rows are recorded.
  var hasKeySource: Bool { state.withLock { $0.keySource != nil } }

  /// The key, if it can be read.
  var key: SymmetricKey? {
    state.withLock { state in
      if state.key == nil { state.key = state.keySource?() }
      return state.key
    }
  }

  /// The changes of the transaction until now, to be restored if a nested one fails.
  var changes: StoreSummary { state.withLock { $0.changes } }

  /// Restores the changes as they were before a nested transaction.
  func restore(_ changes: StoreSummary) { state.withLock { $0.changes = changes } }

  /// Forgets the changes of a transaction, which has ended.
  func reset() {
    state.withLock {
      $0.changes = StoreSummary()
      $0.hasSummary = nil
    }
  }

  /// Returns the key if rows have to be hashed: if the store has a summary. Without the key, the summary cannot be kept.
  func keyForChanges(_ connection: StoreConnection) throws(StoreError) -> SymmetricKey? {
    if let known = state.withLock({ $0.hasSummary }) { return known ? key : nil }
    var has = state.withLock { $0.keySource } != nil
    if has { has = try connection.integer("SELECT 1 FROM summary WHERE id = 1") != nil }
    if has, key == nil {
      // A summary that misses a change would be wrong. Without one, the next sync checks everything.
      try connection.run("DELETE FROM summary")
      has = false
    }
    state.withLock { [has] in $0.hasSummary = has }
    return has ? key : nil
  }

  func toggle(_ table: SummaryTable, _ row: [UInt8], by difference: Int64, _ key: SymmetricKey) {
    let hash = StoreSummary.hash(of: row, in: table, key)
    state.withLock { $0.changes[table].toggle(hash, by: difference) }
  }

  /// Writes the changed summary, before the transaction is committed.
  func save(_ connection: StoreConnection) throws(StoreError) {
    let changes = changes
    guard !changes.isEmpty, let key, let sealed = try connection.bytes("SELECT state FROM summary WHERE id = 1"),
      var summary = StoreSummary(sealed: sealed, key: key)
    else { return }
    summary.apply(changes)
    try connection.run("UPDATE summary SET state = ?1 WHERE id = 1", [.blob(summary.sealed(with: key))])
  }
}
