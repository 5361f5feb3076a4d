import GRDBSQLite

/// The system's SQLite as a C program uses it: prepared statements and no layer above them.
///
/// Safe: handles do not leave this file, and a statement keeps its database open.
@safe final class PlainDatabase {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  fileprivate let handle: OpaquePointer?

  /// Opens a store as Coffer does: write-ahead log, synchronous = FULL.
  init(path: String) throws {
    var opened: OpaquePointer?
    let outcome = unsafe sqlite3_open_v2(path, &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
    unsafe handle = opened
    guard outcome == SQLITE_OK else { throw Failure(description: "plain SQLite cannot open \(path): \(outcome)") }
    try run("PRAGMA journal_mode = WAL")
    try run("PRAGMA synchronous = FULL")
    try run("PRAGMA temp_store = MEMORY")
  }

  deinit { _ = unsafe sqlite3_close_v2(handle) }

  func run(_ sql: String) throws {
    let outcome = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard outcome == SQLITE_OK else { throw failure() }
  }

  func prepare(_ sql: String) throws -> PlainStatement { try PlainStatement(sql, self) }

  var lastRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }

  fileprivate func failure() -> Failure {
    Failure(description: "plain SQLite: \(unsafe String(cString: sqlite3_errmsg(handle)))")
  }
}

/// A prepared statement.
@safe final class PlainStatement {
  private let handle: OpaquePointer?
  private let database: PlainDatabase

  fileprivate init(_ sql: String, _ database: PlainDatabase) throws {
    self.database = database
    var prepared: OpaquePointer?
    let outcome = unsafe sqlite3_prepare_v3(
      database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    unsafe handle = prepared
    guard outcome == SQLITE_OK else { throw database.failure() }
  }

  deinit { _ = unsafe sqlite3_finalize(handle) }

  func bind(_ number: Int64, at index: Int32) { _ = unsafe sqlite3_bind_int64(handle, index, number) }

  /// Binds bytes without a copy.
  func bind(_ bytes: PlainBytes, at index: Int32) {
    _ = unsafe sqlite3_bind_blob(handle, index, bytes.start, Int32(bytes.count), nil)
  }

  func step() throws -> Bool {
    switch unsafe sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw database.failure()
    }
  }

  func reset() { _ = unsafe sqlite3_reset(handle) }

  /// Runs the statement to its end and returns the number of its rows.
  @discardableResult
  func run() throws -> Int {
    defer { reset() }
    var count = 0
    while try step() { count += 1 }
    return count
  }

  func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  func bytes(_ column: Int32) -> [UInt8] {
    let start = unsafe sqlite3_column_blob(handle, column)
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
  }

  /// Fetches a column's bytes without copying them.
  func touch(_ column: Int32) -> Int32 {
    _ = unsafe sqlite3_column_blob(handle, column)
    return unsafe sqlite3_column_bytes(handle, column)
  }
}

/// Bytes at a fixed address, for statements.
@safe final class PlainBytes {
  let count: Int
  fileprivate let start: UnsafeMutablePointer<UInt8>

  init(_ bytes: [UInt8]) {
    count = bytes.count
    unsafe start = .allocate(capacity: max(count, 1))
    for (index, byte) in bytes.enumerated() { unsafe start[index] = byte }
  }

  /// Allocates `count` zero bytes.
  convenience init(count: Int) { self.init([UInt8](repeating: 0, count: count)) }

  deinit { unsafe start.deallocate() }

  /// Fills the buffer with random bytes.
  func randomize(_ generator: inout some RandomNumberGenerator) {
    for index in 0..<count where index % 8 == 0 {
      var word: UInt64 = generator.next()
      for offset in index..<min(index + 8, count) {
        unsafe start[offset] = UInt8(truncatingIfNeeded: word)
        word >>= 8
      }
    }
  }
}
