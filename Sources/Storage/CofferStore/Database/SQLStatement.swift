internal import CofferCrypto
internal import GRDBSQLite

/// A prepared statement and its current row. The statement is reset when it goes out of scope.
///
/// It uses SQLite's functions directly. Any program with write access to the file could store a value of an unexpected
/// type: SQLite's own conversions never fail. Safe: the statement retains its handle, and both are used inside one
/// access of the connection only.
@safe struct SQLStatement: ~Copyable {
  private let statement: CompiledStatement
  private let database: SQLiteDatabase
  private let path: String

  init(_ statement: CompiledStatement, database: SQLiteDatabase, path: String) {
    self.statement = statement
    self.database = database
    self.path = path
  }

  deinit {
    _ = unsafe sqlite3_reset(statement.handle)
    _ = unsafe sqlite3_clear_bindings(statement.handle)
  }

  /// Binds values to the parameters ?1, ?2 and so on.
  borrowing func bind(_ values: [SQLValue]) throws(StoreError) {
    var index: Int32 = 1
    for value in values {
      try bind(value, at: index)
      index += 1
    }
  }

  /// Binds a value to one parameter.
  borrowing func bind(_ value: SQLValue, at index: Int32) throws(StoreError) {
    let handle = unsafe statement.handle
    let outcome: Int32
    switch value {
    case .null: outcome = unsafe sqlite3_bind_null(handle, index)
    case .integer(let number): outcome = unsafe sqlite3_bind_int64(handle, index, number)
    // A null pointer would bind NULL.
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

  /// Advances to the next row. Returns false after the last one. Once an error has undone the write transaction, every
  /// later statement of that transaction throws the same error.
  borrowing func step() throws(StoreError) -> Bool {
    if let cause = database.rollbackCause { throw cause }
    let outcome = unsafe sqlite3_step(statement.handle)
    switch outcome {
    case SQLITE_ROW: return true
    case SQLITE_DONE: return false
    default: throw failure(outcome)
    }
  }

  /// Resets the statement, so that it can be bound and stepped again.
  borrowing func reset() { _ = unsafe sqlite3_reset(statement.handle) }

  /// Returns the column as a number; 0 for NULL.
  borrowing func integer(_ column: Int32) -> Int64 {
    unsafe sqlite3_column_int64(statement.handle, column)
  }

  /// The type of a stored value, as far as it matters.
  enum ColumnType {
    case null
    case integer
    case other
  }

  /// Returns the type of the column's value.
  borrowing func type(_ column: Int32) -> ColumnType {
    switch unsafe sqlite3_column_type(statement.handle, column) {
    case SQLITE_NULL: .null
    case SQLITE_INTEGER: .integer
    default: .other
    }
  }

  /// Returns the column as it is stored; null for a number that is no integer, which no table has.
  borrowing func value(_ column: Int32) -> SQLValue {
    switch unsafe sqlite3_column_type(statement.handle, column) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_TEXT: .text(text(column))
    case SQLITE_BLOB: .blob(bytes(column))
    default: .null
    }
  }

  borrowing func flag(_ column: Int32) -> Bool { integer(column) != 0 }

  /// Returns the column as bytes; nil for NULL.
  borrowing func optionalBytes(_ column: Int32) -> [UInt8]? {
    unsafe sqlite3_column_type(statement.handle, column) == SQLITE_NULL ? nil : bytes(column)
  }

  /// Returns the column as bytes; empty for NULL.
  borrowing func bytes(_ column: Int32) -> [UInt8] { unsafe Array(buffer(column)) }

  /// Appends the number of the column's bytes, in four bytes, and the bytes; none for NULL.
  borrowing func append(_ column: Int32, to bytes: inout [UInt8]) {
    let source = unsafe buffer(column)
    unsafe withUnsafeBytes(of: UInt32(source.count).bigEndian) { unsafe bytes.append(contentsOf: $0) }
    unsafe bytes.append(contentsOf: source)
  }

  /// Returns the column's bytes in SQLite's memory, valid until the next step.
  private borrowing func buffer(_ column: Int32) -> UnsafeRawBufferPointer {
    let handle = unsafe statement.handle
    // The order matters: reading the size first would return that of another representation.
    let start = unsafe sqlite3_column_blob(handle, column)
    let count = unsafe sqlite3_column_bytes(handle, column)
    return unsafe UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : Int(count))
  }

  /// Returns the column as text; empty for NULL.
  borrowing func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  /// Returns the column as an identifier. `name` is the column's name in the error for another size.
  borrowing func bytes16(_ column: Int32, _ name: StaticString) throws(StoreError) -> Bytes16 {
    guard let value = unsafe Bytes16(buffer(column)) else { throw .malformed("column \(name)", path: path) }
    return value
  }

  /// Returns the column as a hash. `name` is the column's name in the error for another size.
  borrowing func bytes32(_ column: Int32, _ name: StaticString) throws(StoreError) -> Bytes32 {
    guard let value = unsafe Bytes32(buffer(column)) else { throw .malformed("column \(name)", path: path) }
    return value
  }

  /// Returns the column as a non-negative number. `name` is the column's name in the error for a negative one.
  borrowing func unsigned(_ column: Int32, _ name: StaticString) throws(StoreError) -> UInt64 {
    guard let value = UInt64(exactly: integer(column)) else { throw .malformed("column \(name)", path: path) }
    return value
  }

  private borrowing func failure(_ outcome: Int32) -> StoreError {
    let systemError = unsafe sqlite3_system_errno(database.handle)
    let error = StoreError.sqlite(outcome, systemError: systemError, path: path)
    database.recordFailure(error)
    return error
  }

  /// SQLITE_TRANSIENT, a C cast that Swift does not import: SQLite copies the bytes before the call returns.
  private static var copied: sqlite3_destructor_type {
    unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}

/// A value bound to a statement. It is never printed and never part of an error.
enum SQLValue {
  case null
  case integer(Int64)
  case blob([UInt8])
  case text(String)
  case id(Bytes16)
  case hash(Bytes32)

  static func flag(_ flag: Bool) -> SQLValue { .integer(flag ? 1 : 0) }

  static func optionalBlob(_ bytes: [UInt8]?) -> SQLValue { bytes.map { .blob($0) } ?? .null }
}
