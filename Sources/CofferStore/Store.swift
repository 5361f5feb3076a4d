internal import GRDB
internal import GRDBSQLite
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The local store: one SQLite file in WAL mode that every app of the user shares.
///
/// One connection, used by one caller at a time. Accesses block their thread; they do not nest: a ``read(_:)`` or
/// ``write(_:)`` inside another one of the same store traps.
package final class Store: Sendable {
  /// The file.
  package let path: String
  private let queue: DatabaseQueue
  /// SQLite's schema cookie when the schema was last compared.
  private let verifiedSchema: Atomic<Int64>

  private init(path: String, queue: DatabaseQueue, schemaCookie: Int64) {
    self.path = path
    self.queue = queue
    verifiedSchema = Atomic(schemaCookie)
  }

  // MARK: Opening

  /// Opens the store at `path`.
  ///
  /// Throws ``StoreError/Code/missing`` where there is none, ``StoreError/Code/corrupt`` where the file is something
  /// else or was given other tables, triggers or views, and ``StoreError/Code/versionTooNew`` where a newer program
  /// wrote it; the file is left alone in each case.
  package static func open(at path: String) throws(StoreError) -> Store {
    // Never by opening the file: closing it again would drop the locks that SQLite holds on it in this process.
    var information = stat()
    guard unsafe stat(path, &information) == 0 else { throw .system(errno, "opening the store", path: path) }
    guard information.st_mode & S_IFMT == S_IFREG else {
      throw StoreError(.corrupt, path: path, detail: "this is no file; name the store's file")
    }
    let queue = try translating(path: path) { try DatabaseQueue(path: path, configuration: configuration(path: path)) }
    let cookie = try translating(path: path) {
      try queue.unsafeRead { try Schema.cookie(on: StoreConnection(database: $0, path: path)) }
    }
    return Store(path: path, queue: queue, schemaCookie: cookie)
  }

  private static func configuration(path: String) -> Configuration {
    var configuration = connectionConfiguration()
    configuration.prepareDatabase { database in
      let connection = StoreConnection(database: database, path: path)
      try connection.run("BEGIN DEFERRED")
      do {
        try Schema.verify(on: connection)
      } catch {
        try connection.run("COMMIT")
        throw error
      }
      try connection.run("COMMIT")
      try makeDurable(connection)
    }
    return configuration
  }

  /// What every connection has: a wait for locks, and nothing of a hostile file believed or run.
  static func connectionConfiguration() -> Configuration {
    var configuration = Configuration()
    configuration.busyMode = .timeout(30)
    configuration.foreignKeysEnabled = true
    configuration.publicStatementArguments = false
    configuration.label = "Coffer store"
    configuration.prepareDatabase { database in
      let handle = unsafe database.sqliteConnection
      // The largest row there is, and some room: a planted gigabyte fails instead of filling the memory.
      _ = unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 34 << 20)
      // A trigger that slips in between two comparisons of the schema fails instead of running.
      _ = unsafe sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, 0)
      _ = unsafe sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
      let connection = StoreConnection(database: database, path: "")
      try connection.run("PRAGMA trusted_schema = OFF")
      try connection.run("PRAGMA cell_size_check = ON")
      try connection.run("PRAGMA temp_store = MEMORY")
    }
    return configuration
  }

  /// Sets WAL and synchronous = FULL, and believes neither before it reads it back.
  static func makeDurable(_ connection: StoreConnection) throws(StoreError) {
    if try connection.text("PRAGMA journal_mode") != "wal" {
      guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
        throw connection.failure(.io, "the file system does not support write-ahead logging; keep the store on another")
      }
    }
    try connection.run("PRAGMA synchronous = FULL")
    guard try connection.integer("PRAGMA synchronous") == 2, try connection.text("PRAGMA journal_mode") == "wal" else {
      throw connection.failure(.io, "SQLite does not keep its promise of durable writes here")
    }
  }

  // MARK: Access

  /// Runs `body` over one consistent snapshot. Errors of `body` pass unchanged.
  package func read<T>(_ body: (borrowing StoreReader) throws -> T) throws -> T {
    try access { connection in
      try connection.run("BEGIN DEFERRED")
      let outcome: T
      do {
        try verifySchema(connection)
        outcome = try body(StoreReader(connection: connection))
      } catch {
        // There is nothing to undo: either end of the transaction releases the snapshot.
        try connection.run("COMMIT")
        throw error
      }
      try connection.run("COMMIT")
      return outcome
    }
  }

  /// Runs `body` as one transaction: when this returns, everything it wrote is on the disk; when it throws, nothing
  /// is, and errors of `body` pass unchanged. Waits up to 30 seconds for another writer, then throws
  /// ``StoreError/Code/busy``.
  package func write<T>(_ body: (borrowing StoreWriter) throws -> T) throws -> T {
    try access { connection in
      try connection.calling { try connection.database.beginTransaction(.immediate) }
      let outcome: T
      do {
        try verifySchema(connection)
        outcome = try body(StoreWriter(connection: connection))
        try connection.calling { try connection.database.commit() }
      } catch {
        try connection.calling { try connection.database.rollback() }
        throw error
      }
      return outcome
    }
  }

  private func access<T>(_ body: (StoreConnection) throws -> T) throws -> T {
    try queue.unsafeRead { try body(StoreConnection(database: $0, path: path)) }
  }

  private func verifySchema(_ connection: StoreConnection) throws(StoreError) {
    let cookie = try Schema.cookie(on: connection)
    guard cookie != verifiedSchema.load(ordering: .relaxed) else { return }
    try Schema.verify(on: connection)
    verifiedSchema.store(cookie, ordering: .relaxed)
  }

  // MARK: The whole file

  /// Reads every page and index. Throws ``StoreError/Code/corrupt`` where anything is out of order.
  package func checkIntegrity() throws(StoreError) {
    try translating(path: path) {
      try access { connection in
        guard try connection.text("PRAGMA integrity_check(1)") == "ok" else {
          throw connection.failure(.corrupt, StoreError.damaged)
        }
        guard try connection.text("PRAGMA foreign_key_check") == nil else {
          throw connection.failure(.corrupt, "rows refer to rows that are gone; \(StoreError.restore)")
        }
      }
    }
  }

  /// A number that changes when another connection, of this process or another, has committed.
  package var dataVersion: Int64 {
    get throws(StoreError) {
      try translating(path: path) { try access { try $0.integer("PRAGMA data_version") ?? 0 } }
    }
  }
}
