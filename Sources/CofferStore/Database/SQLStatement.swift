internal import CofferCrypto
internal import GRDB
internal import GRDBSQLite

/// A value bound to a statement. Never printed, never part of an error.
enum SQLValue {
  case null
  case integer(Int64)
  case blob([UInt8])
  case text(String)
  case id(Bytes16)
  case hash(Bytes32)

  static func flag(_ flag: Bool) -> SQLValue { .integer(flag ? 1 : 0) }
}

/// A prepared statement on its way through its rows; reset when it goes out of scope.
///
/// It steps SQLite itself: GRDB's typed columns trap on a value of another type, and whoever can write to the file
/// could put one there. SQLite's own conversions never fail. Safe: the statement keeps its handle alive, and both live
/// inside one access of the connection.
@safe struct SQLStatement: ~Copyable {
  private let statement: Statement
  private let database: OpaquePointer?
  private let path: String

  init(_ statement: Statement, database: OpaquePointer?, path: String) {
    self.statement = statement
    unsafe self.database = database
    self.path = path
  }

  deinit {
    _ = unsafe sqlite3_reset(statement.sqliteStatement)
    _ = unsafe sqlite3_clear_bindings(statement.sqliteStatement)
  }

  /// Binds the parameters ?1, ?2 and so on.
  borrowing func bind(_ values: [SQLValue]) throws(StoreError) {
    var index: Int32 = 1
    for value in values {
      try bind(value, at: index)
      index += 1
    }
  }

  /// Binds one parameter.
  borrowing func bind(_ value: SQLValue, at index: Int32) throws(StoreError) {
    let handle = unsafe statement.sqliteStatement
    let outcome: Int32
    switch value {
    case .null: outcome = unsafe sqlite3_bind_null(handle, index)
    case .integer(let number): outcome = unsafe sqlite3_bind_int64(handle, index, number)
    // A pointer to nothing would bind NULL.
    case .blob(let bytes) where bytes.isEmpty: outcome = unsafe sqlite3_bind_zeroblob(handle, index, 0)
    case .blob(let bytes):
      outcome = unsafe sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), Self.copied)
    case .id(let id):
      outcome = unsafe id.withBytes { unsafe sqlite3_bind_blob64(handle, index, $0.baseAddress, 16, Self.copied) }
    case .hash(let hash):
      outcome = unsafe hash.withBytes { unsafe sqlite3_bind_blob64(handle, index, $0.baseAddress, 32, Self.copied) }
    case .text(let text): outcome = unsafe sqlite3_bind_text(handle, index, text, -1, Self.copied)
    }
    guard outcome == SQLITE_OK else { throw failure(outcome) }
  }

  /// Goes to the next row; false behind the last one.
  borrowing func step() throws(StoreError) -> Bool {
    let outcome = unsafe sqlite3_step(statement.sqliteStatement)
    switch outcome {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw failure(outcome)
    }
  }

  /// Makes the statement ready to be bound and stepped again.
  borrowing func reset() { _ = unsafe sqlite3_reset(statement.sqliteStatement) }

  /// The column as a number; 0 for NULL.
  borrowing func integer(_ column: Int32) -> Int64 {
    unsafe sqlite3_column_int64(statement.sqliteStatement, column)
  }

  borrowing func flag(_ column: Int32) -> Bool { integer(column) != 0 }

  /// The column as bytes; none for NULL.
  borrowing func bytes(_ column: Int32) -> [UInt8] { unsafe Array(buffer(column)) }

  /// The column's bytes where SQLite has them, until the next step.
  private borrowing func buffer(_ column: Int32) -> UnsafeRawBufferPointer {
    let handle = unsafe statement.sqliteStatement
    // The blob first: asking for the size first would give that of another representation.
    let start = unsafe sqlite3_column_blob(handle, column)
    let count = unsafe sqlite3_column_bytes(handle, column)
    return unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
  }

  /// The column as text; empty for NULL.
  borrowing func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  /// The column as an identifier; `name` stands in the error where it has another size.
  borrowing func bytes16(_ column: Int32, _ name: StaticString) throws(StoreError) -> Bytes16 {
    guard let value = unsafe Bytes16(buffer(column)) else { throw .malformed("column \(name)", path: path) }
    return value
  }

  /// The column as a hash; `name` stands in the error where it has another size.
  borrowing func bytes32(_ column: Int32, _ name: StaticString) throws(StoreError) -> Bytes32 {
    guard let value = unsafe Bytes32(buffer(column)) else { throw .malformed("column \(name)", path: path) }
    return value
  }

  /// The column as a number that is never negative.
  borrowing func unsigned(_ column: Int32, _ name: StaticString) throws(StoreError) -> UInt64 {
    guard let value = UInt64(exactly: integer(column)) else { throw .malformed("column \(name)", path: path) }
    return value
  }

  private borrowing func failure(_ outcome: Int32) -> StoreError {
    .sqlite(outcome, systemError: unsafe sqlite3_system_errno(database), path: path)
  }

  /// SQLITE_TRANSIENT, a cast in C that does not import: SQLite takes a copy before the call returns.
  private static var copied: sqlite3_destructor_type {
    unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}
