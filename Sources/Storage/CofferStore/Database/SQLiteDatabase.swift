internal import Dispatch
internal import GRDBSQLite
internal import Synchronization

/// A connection to a SQLite file, which one caller at a time uses, and its compiled statements.
///
/// Safe: the handle and the statements are used inside ``access(_:)`` only, which one thread has at a time, by the
/// initialiser's caller before it shares the object, or after the last reference is gone.
@safe final class SQLiteDatabase: @unchecked Sendable {
  /// SQLite's handle; nil once closed.
  private(set) var handle: OpaquePointer?
  private let path: String
  /// The folder of the file; nil for a database in memory.
  private let folder: StoreFolder?
  private let queue = DispatchQueue(label: "Coffer store", qos: .userInitiated)
  private var statements: [String: CompiledStatement] = [:]
  private var frequentStatements: [CompiledStatement?] = []
  /// Whether a write transaction has begun that only its writer may end.
  var isWriting = false { didSet { rollbackCause = nil } }
  /// The error after which SQLite has undone the write transaction, such as that of a full disk. What followed would
  /// otherwise be committed statement by statement.
  private(set) var rollbackCause: StoreError?

  /// Opens a file as ``StoreFolder/open(of:)``, or a database in memory with ``Store/memoryPath``. Statements wait for
  /// locks of other programs for `lockTimeout` milliseconds. The contents are not examined yet.
  init(path: String, lockTimeout: Int32) throws(StoreError) {
    self.path = path
    let folder = path == Store.memoryPath ? nil : try StoreFolder.open(of: path)
    self.folder = folder
    var opened: OpaquePointer?
    // The queue already keeps threads apart.
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (folder == nil ? SQLITE_OPEN_MEMORY : 0)
    let outcome = unsafe sqlite3_open_v2(folder?.reference ?? path, &opened, flags, folder?.fileSystem)
    guard outcome == SQLITE_OK else {
      let code = unsafe opened == nil ? outcome : sqlite3_extended_errcode(opened)
      _ = unsafe sqlite3_close(opened)
      throw .sqlite(code, path: path)
    }
    unsafe handle = opened
    _ = unsafe sqlite3_extended_result_codes(opened, 1)
    _ = unsafe sqlite3_busy_timeout(opened, lockTimeout)
    unsafe _disableDoubleQuotedStringLiterals(opened)
  }

  deinit {
    removeStatements()
    // A statement that is still referenced keeps the connection open until it is gone.
    _ = unsafe sqlite3_close_v2(handle)
  }

  /// Calls `body` when no other thread uses the connection. An access must not begin inside another one.
  func access<T, E>(_ body: (SQLiteDatabase) throws(E) -> T) throws(E) -> T {
    let result = queue.sync { Result { () throws(E) in try body(self) } }
    return try result.get()
  }

  /// Throws if a statement still runs. The connection then stays open.
  func close() throws(StoreError) {
    try access { (_) throws(StoreError) in
      removeStatements()
      let outcome = unsafe sqlite3_close(handle)
      guard outcome == SQLITE_OK else { throw .sqlite(outcome, path: path) }
      unsafe handle = nil
    }
  }

  /// Records the error of a statement if SQLite has undone the write transaction because of it.
  func recordFailure(_ error: StoreError) {
    if isWriting, rollbackCause == nil, unsafe sqlite3_get_autocommit(handle) != 0 { rollbackCause = error }
  }

  private func removeStatements() {
    statements = [:]
    frequentStatements = []
  }

  // MARK: Statements

  /// Returns a statement that is compiled at its first use and kept.
  func statement(_ sql: String) throws(StoreError) -> CompiledStatement {
    if let known = statements[sql] { return known }
    let statement = try compile(sql, isKept: true)
    statements[sql] = statement
    return statement
  }

  /// Returns a frequent statement, which is compiled at its first use and kept.
  func statement(_ frequent: FrequentStatement) throws(StoreError) -> CompiledStatement {
    if frequent.number < frequentStatements.count, let known = frequentStatements[frequent.number] { return known }
    let statement = try compile(frequent.sql, isKept: true)
    if frequent.number >= frequentStatements.count {
      frequentStatements += Array(repeating: nil, count: frequent.number + 1 - frequentStatements.count)
    }
    frequentStatements[frequent.number] = statement
    return statement
  }

  /// `isKept` is true for a statement that is used many times. Throws ``StoreError`` with SQLite's code, such as that
  /// of a damaged file.
  func compile(_ sql: String, isKept: Bool = false) throws(StoreError) -> CompiledStatement {
    var compiled: OpaquePointer?
    let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let outcome = unsafe sqlite3_prepare_v3(handle, sql, -1, flags, &compiled, nil)
    guard outcome == SQLITE_OK, let compiled = unsafe compiled else {
      throw .sqlite(outcome, systemError: unsafe sqlite3_system_errno(handle), path: path)
    }
    return unsafe CompiledStatement(compiled, folder: folder)
  }
}

/// Owns SQLite's handle of a compiled statement. It is used inside an access of its connection only.
@safe final class CompiledStatement {
  let handle: OpaquePointer
  /// Open as long as the connection, which the statement keeps open.
  private let folder: StoreFolder?

  /// Takes over a handle of SQLite.
  @unsafe init(_ handle: OpaquePointer, folder: StoreFolder?) {
    unsafe self.handle = handle
    self.folder = folder
  }

  deinit { _ = unsafe sqlite3_finalize(handle) }
}

/// The text of a statement that runs so often that looking it up by its text would take as long as running it. Create
/// each once, as a static constant.
struct FrequentStatement: Sendable {
  let sql: String
  /// The statement's place among those of a connection.
  let number: Int

  private static let count = Atomic<Int>(0)

  init(_ sql: String) {
    self.sql = sql
    number = Self.count.add(1, ordering: .relaxed).oldValue
  }

  /// Starts a read transaction and returns a number that stays the same while no other connection commits.
  static let dataVersion = FrequentStatement("PRAGMA data_version")
}

/// The statements for one row of `token`: group, token, created, arrival, item and record are the values 1 to 6.
extension FrequentStatement {
  private static let isRow =
    "group_id = ?1 AND token = ?2 AND created = ?3 AND arrival = ?4 AND item = ?5 AND record = ?6"

  static let findToken = FrequentStatement("SELECT 1 FROM token WHERE \(isRow)")
  static let deleteToken = FrequentStatement("DELETE FROM token WHERE \(isRow)")
  static let insertToken = FrequentStatement(
    "INSERT OR IGNORE INTO token (group_id, token, created, arrival, item, record) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
}
