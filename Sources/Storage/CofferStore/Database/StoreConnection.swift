internal import CofferCrypto
internal import CofferFormat
internal import GRDBSQLite
internal import Synchronization

/// The database connection inside one access. It has no package members; other targets use ``StoreAccess``.
package struct StoreConnection {
  let database: SQLiteDatabase
  let path: String
  /// The counter of changes to the membership log through this store.
  let logChanges: LogChanges
  /// Collects the changes to the summary; nil for a connection that changes no summarised row.
  let summary: SummaryRecorder?
  /// Knows whether the rows are those of the summary; nil for a store that has no file.
  let stamp: StoreStamp?
  /// Collects the changes to the numbers of items.
  let itemCounts: ItemCounts

  init(
    database: SQLiteDatabase, path: String, logChanges: LogChanges = LogChanges(), summary: SummaryRecorder? = nil,
    stamp: StoreStamp? = nil, itemCounts: ItemCounts = ItemCounts()
  ) {
    self.database = database
    self.path = path
    self.logChanges = logChanges
    self.summary = summary
    self.stamp = stamp
    self.itemCounts = itemCounts
  }

  /// False if SQLite itself has rolled back a failed transaction.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(database.handle) == 0 }

  /// Returns a statement from the connection's cache, compiled at its first use.
  ///
  /// Two statements with the same text must not run at the same time, so do not use this for iterations that call back.
  func statement(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> SQLStatement {
    let statement = try SQLStatement(database.statement(sql), database: database, path: path)
    try statement.bind(values)
    return statement
  }

  /// Returns a frequent statement. As ``statement(_:_:)``, but faster.
  func statement(_ frequent: FrequentStatement, _ values: [SQLValue] = []) throws(StoreError) -> SQLStatement {
    let statement = try SQLStatement(database.statement(frequent), database: database, path: path)
    try statement.bind(values)
    return statement
  }

  /// Runs a frequent statement without result rows. Returns the number of changed rows.
  @discardableResult
  func run(_ frequent: FrequentStatement, _ values: [SQLValue]) throws(StoreError) -> Int {
    let statement = try statement(frequent, values)
    while try statement.step() {}
    return unsafe Int(sqlite3_changes(database.handle))
  }

  /// Returns the first column of the first row of a frequent statement as a number; nil if there is no row.
  func integer(_ frequent: FrequentStatement, _ values: [SQLValue]) throws(StoreError) -> Int64? {
    let statement = try statement(frequent, values)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Returns a statement that is not cached, for iterations that call back.
  func freshStatement(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> SQLStatement {
    let statement = try SQLStatement(database.compile(sql), database: database, path: path)
    try statement.bind(values)
    return statement
  }

  /// Runs a statement without result rows. Returns the number of changed rows.
  @discardableResult
  func run(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> Int {
    let statement = try statement(sql, values)
    while try statement.step() {}
    return unsafe Int(sqlite3_changes(database.handle))
  }

  /// Returns the first column of the first row as a number; nil if there is no row.
  func integer(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> Int64? {
    let statement = try statement(sql, values)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Returns what `read` makes of each row, without nil. `read` must not use the same statement.
  func rows<Value>(
    _ sql: String, _ values: [SQLValue] = [], _ read: (borrowing SQLStatement) throws(StoreError) -> Value?
  ) throws(StoreError) -> [Value] {
    try rows(of: statement(sql, values), read)
  }

  /// Returns what `read` makes of each row of a statement, without nil.
  func rows<Value>(
    of statement: borrowing SQLStatement, _ read: (borrowing SQLStatement) throws(StoreError) -> Value?
  ) throws(StoreError) -> [Value] {
    var all: [Value] = []
    while try statement.step() { if let value = try read(statement) { all.append(value) } }
    return all
  }

  /// Returns the hashes of records in the first column. Rows with something else are skipped.
  func hashes(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> Set<RecordHash> {
    Set(try rows(sql, values) { (row) throws(StoreError) in Bytes32(row.bytes(0)).map { RecordHash($0) } })
  }

  /// Returns the first column of the first row as bytes; nil if there is no row.
  func bytes(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> [UInt8]? {
    let statement = try statement(sql, values)
    return try statement.step() ? statement.bytes(0) : nil
  }

  /// Returns the first column of the first row as text; nil if there is no row.
  func text(_ sql: String) throws(StoreError) -> String? {
    let statement = try statement(sql)
    return try statement.step() ? statement.text(0) : nil
  }

  /// Calls `body`, in which SQLite does not wait for locks of other programs.
  func withoutWaiting(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    let handle = unsafe database.handle
    _ = unsafe sqlite3_busy_timeout(handle, 0)
    defer { _ = unsafe sqlite3_busy_timeout(handle, Store.busyTimeoutMilliseconds) }
    try body()
  }

  var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(database.handle) }

  func failure(_ code: StoreError.Code, _ detail: String) -> StoreError {
    StoreError(code, path: path, detail: detail)
  }
}

/// A counter of changes to the membership log.
final class LogChanges: Sendable {
  private let count = Atomic<UInt64>(0)
  var value: UInt64 { count.load(ordering: .relaxed) }
  func increment() { count.wrappingAdd(1, ordering: .relaxed) }
}

/// The value of ``Store/logStamp``. Valid inside the access in which it was read, and comparable with other stamps.
package struct LogStamp: Hashable, Sendable {
  let dataVersion: Int64
  let changes: UInt64
}
