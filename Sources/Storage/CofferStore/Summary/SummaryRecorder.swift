internal import CofferCrypto
internal import CofferFormat
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

  /// Returns the key if rows have to be hashed: if the store has a summary. Without the key, the summary cannot be
  /// kept.
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

/// The only places that change the summary. Every function of ``StoreWriter`` that changes a summarised row calls one.
extension StoreConnection {
  /// Runs a statement that changes rows of a table, and records the rows that match a condition before and after it.
  /// All changed rows must match the SQL condition before or after the change, or both.
  @discardableResult
  func changing<Result>(
    _ table: SummaryTable, where condition: String, _ values: [SQLValue], _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    guard let key = try summary?.keyForChanges(self) else { return try body() }
    let sql = "SELECT \(table.columns) FROM \(table.name) WHERE \(condition)"
    try toggle(table, sql, values, by: -1, key)
    let result = try body()
    try toggle(table, sql, values, by: 1, key)
    return result
  }

  /// Deletes the rows of a table that match a condition. Returns their number.
  @discardableResult
  func delete(from table: SummaryTable, where condition: String, _ values: [SQLValue]) throws(StoreError) -> Int {
    try changing(table, where: condition, values) { () throws(StoreError) in
      try run("DELETE FROM \(table.name) WHERE \(condition)", values)
    }
  }

  /// Changes the rows of a table that match a condition before and after the change. `assignments` begins with the
  /// parameter after those of the condition.
  func update(
    _ table: SummaryTable, where condition: String, _ values: [SQLValue], set assignments: String,
    _ assigned: [SQLValue] = []
  ) throws(StoreError) {
    try changing(table, where: condition, values) { () throws(StoreError) in
      try run("UPDATE \(table.name) SET \(assignments) WHERE \(condition)", values + assigned)
    }
  }

  private func toggle(
    _ table: SummaryTable, _ sql: String, _ values: [SQLValue], by difference: Int64, _ key: SymmetricKey
  ) throws(StoreError) {
    let rows = try statement(sql, values)
    while try rows.step() {
      summary?.toggle(table, rows.encoded(columnCount: table.columnCount), by: difference, key)
    }
  }

  /// Records a row that was just inserted, if it was. `values` are those of the summarised columns.
  func recordInsertion(_ changeCount: Int = 1, into table: SummaryTable, _ values: [SQLValue]) throws(StoreError) {
    guard changeCount > 0, let key = try summary?.keyForChanges(self) else { return }
    summary?.toggle(table, SQLValue.encoded(values), by: 1, key)
  }

  /// Records a row that was just deleted, if it was. `values` are those of the summarised columns.
  func recordDeletion(_ changeCount: Int, from table: SummaryTable, _ values: [SQLValue]) throws(StoreError) {
    guard changeCount > 0, let key = try summary?.keyForChanges(self) else { return }
    summary?.toggle(table, SQLValue.encoded(values), by: -1, key)
  }
}

extension SQLValue {
  /// Returns the values in the form in which rows are hashed: as ``SQLStatement/encoded(columnCount:)``.
  static func encoded(_ values: [SQLValue]) -> [UInt8] {
    var writer = ByteWriter(reserving: 192)
    for value in values {
      switch value {
      case .null: writer.u8(0)
      case .integer(let number):
        writer.u8(1)
        writer.i64(number)
      case .blob(let bytes):
        writer.u8(2)
        writer.data(bytes)
      case .text(let text):
        writer.u8(2)
        writer.data(Array(text.utf8))
      case .id(let id):
        writer.u8(2)
        writer.data(id.bytes)
      case .hash(let hash):
        writer.u8(2)
        writer.data(hash.bytes)
      }
    }
    return writer.bytes
  }
}

extension SQLStatement {
  /// Returns the current row in the form in which rows are hashed: a byte for the type of each column, then a number of
  /// 8 bytes or data.
  borrowing func encoded(columnCount: Int32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    encode(columnCount: columnCount, into: &bytes)
    return bytes
  }

  /// Appends the current row in the form in which rows are hashed.
  borrowing func encode(columnCount: Int32, into bytes: inout [UInt8]) {
    for column in 0..<columnCount {
      switch type(column) {
      case .null: bytes.append(0)
      case .integer:
        bytes.append(1)
        unsafe withUnsafeBytes(of: integer(column).bigEndian) { unsafe bytes.append(contentsOf: $0) }
      case .other:
        bytes.append(2)
        append(column, to: &bytes)
      }
    }
  }
}
