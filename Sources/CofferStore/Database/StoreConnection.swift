internal import GRDB
internal import GRDBSQLite
internal import Synchronization

/// A counter that every change of the membership log moves on.
final class LogChanges: Sendable {
  private let count = Atomic<UInt64>(0)
  var value: UInt64 { count.load(ordering: .relaxed) }
  func note() { count.wrappingAdd(1, ordering: .relaxed) }
}

/// The database connection inside one access. It has no package members: what may be asked stands in ``StoreAccess``.
package struct StoreConnection {
  let database: Database
  let path: String
  /// Counts the changes of the membership log that came through this store.
  let logChanges: LogChanges

  /// SQL for the time by this machine's clock, in microseconds since 1970.
  static let now = "CAST((julianday('now') - 2440587.5) * 86400000000.0 AS INTEGER)"

  init(database: Database, path: String, logChanges: LogChanges = LogChanges()) {
    self.database = database
    self.path = path
    self.logChanges = logChanges
  }

  /// False where SQLite itself has rolled a failed transaction back.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(database.sqliteConnection) == 0 }

  /// A statement from the connection's cache, compiled at its first use.
  ///
  /// No two may run at once with the same text, so nothing that calls back while it steps may use this.
  func statement(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> SQLStatement {
    let prepared = try calling { try database.cachedStatement(sql: sql) }
    let statement = unsafe SQLStatement(prepared, database: database.sqliteConnection, path: path)
    try statement.bind(values)
    return statement
  }

  /// A statement of its own, for iterations that call back.
  func freshStatement(_ sql: String, _ values: [SQLValue]) throws(StoreError) -> SQLStatement {
    let prepared = try calling { try database.makeStatement(sql: sql) }
    let statement = unsafe SQLStatement(prepared, database: database.sqliteConnection, path: path)
    try statement.bind(values)
    return statement
  }

  /// Runs a statement that gives no rows; the result is the number of rows that it changed.
  @discardableResult
  func run(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> Int {
    let statement = try statement(sql, values)
    while try statement.step() {}
    return unsafe Int(sqlite3_changes(database.sqliteConnection))
  }

  /// The first column of the first row as a number; nil where there is no row.
  func integer(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> Int64? {
    let statement = try statement(sql, values)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// The first column of the first row as bytes; nil where there is no row.
  func bytes(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> [UInt8]? {
    let statement = try statement(sql, values)
    return try statement.step() ? statement.bytes(0) : nil
  }

  /// The first column of the first row as text; nil where there is no row.
  func text(_ sql: String) throws(StoreError) -> String? {
    let statement = try statement(sql)
    return try statement.step() ? statement.text(0) : nil
  }

  /// The row that an INSERT just made.
  var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(database.sqliteConnection) }

  /// Calls GRDB on this connection, and gives its errors this layer's form with the system's reason.
  func calling<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
    do {
      return try body()
    } catch let error as DatabaseError {
      throw .sqlite(
        error.extendedResultCode.rawValue, systemError: unsafe sqlite3_system_errno(database.sqliteConnection),
        path: path)
    } catch {
      throw failure(.io, "the database library refused the operation")
    }
  }

  func failure(_ code: StoreError.Code, _ detail: String) -> StoreError {
    StoreError(code, path: path, detail: detail)
  }
}
