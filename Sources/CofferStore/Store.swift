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
/// One connection, used by one caller at a time. Accesses block their thread. One inside another of the same thread joins it:
/// a write inside a write is part of it, all or none.
package final class Store: Sendable {
  /// The file; ``memoryPath`` for a store without one.
  package let path: String
  private let queue: DatabaseQueue
  /// SQLite's schema cookie when the schema was last compared.
  private let verifiedSchema: Atomic<Int64>
  /// SQLite's data version at the last access: while it stands still, no other connection has committed anything.
  private let seenVersion = Atomic<Int64>(-1)
  private let logChanges = LogChanges()
  /// The thread that has access, 0 for none, and whether it writes. Only that thread can read its own number here, so that
  /// what it concludes stays true.
  private let holder = Atomic<UInt>(0)
  private let isHolderWriting = Atomic<Bool>(false)
  private let observers = Mutex(Observers())

  private struct Observers {
    var last: UInt64 = 0
    var calls: [UInt64: @Sendable () -> Void] = [:]
  }

  /// What stands for the path of a store in memory.
  package static let memoryPath = ":memory:"

  init(path: String, queue: DatabaseQueue, schemaCookie: Int64) {
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
      let version: Int64
      do {
        version = try Schema.verify(on: connection)
      } catch {
        try connection.run("COMMIT")
        throw error
      }
      try connection.run("COMMIT")
      try makeDurable(connection)
      if version < Schema.version { try Schema.migrate(connection) }
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
    if isHeldByThisThread {
      return try queue.unsafeReentrantRead { try body(StoreReader(connection: connection($0))) }
    }
    return try access(writing: false) { connection in
      try connection.run("BEGIN DEFERRED")
      let outcome: T
      do {
        try verifySchema(connection)
        outcome = try body(StoreReader(connection: connection))
      } catch {
        // There is nothing to undo: either end of the transaction releases the snapshot.
        if connection.isInTransaction { try connection.run("COMMIT") }
        throw error
      }
      try connection.run("COMMIT")
      return outcome
    }
  }

  /// Runs `body` as one transaction: when this returns, everything it wrote is on the disk; when it throws, nothing
  /// is, and errors of `body` pass unchanged. Waits up to 30 seconds for another writer, or as long as `patience` says, then
  /// throws ``StoreError/Code/busy``.
  ///
  /// Inside another write it becomes part of that: it is undone alone when it throws, and lasts when the outer one does.
  package func write<T>(
    patience: Duration? = nil, _ body: (borrowing StoreWriter) throws -> T
  ) throws -> T {
    if isHeldByThisThread { return try writeNested(body) }
    defer { for call in observers.withLock({ Array($0.calls.values) }) { call() } }
    return try access(writing: true) { connection in
      try begin(connection, patience: patience)
      let outcome: T
      do {
        try verifySchema(connection)
        outcome = try body(StoreWriter(connection: connection))
        try connection.run("COMMIT")
      } catch {
        connection.logChanges.note()
        // SQLite may have rolled back already.
        if connection.isInTransaction { try connection.run("ROLLBACK") }
        throw error
      }
      return outcome
    }
  }

  private func begin(_ connection: StoreConnection, patience: Duration?) throws(StoreError) {
    guard let patience else { return try beginImmediate(connection) }
    let milliseconds = patience.components.seconds * 1000 + patience.components.attoseconds / 1_000_000_000_000_000
    let handle = unsafe connection.database.sqliteConnection
    _ = unsafe sqlite3_busy_timeout(handle, Int32(clamping: milliseconds))
    defer { _ = unsafe sqlite3_busy_timeout(handle, Self.busyTimeoutMilliseconds) }
    try beginImmediate(connection)
  }

  /// Not GRDB's own call, which compiles the statement anew each time; nor its commit.
  private func beginImmediate(_ connection: StoreConnection) throws(StoreError) {
    try connection.run("BEGIN IMMEDIATE")
  }

  private static let busyTimeoutMilliseconds: Int32 = 30_000

  private func writeNested<T>(_ body: (borrowing StoreWriter) throws -> T) throws -> T {
    guard isHolderWriting.load(ordering: .relaxed) else {
      throw StoreError(.io, path: path, detail: "a write was begun inside of a read; begin it before")
    }
    return try queue.unsafeReentrantRead { database in
      let connection = connection(database)
      guard connection.isInTransaction else {
        throw connection.failure(.io, "an error inside the transaction has undone it; nothing was changed")
      }
      try connection.run("SAVEPOINT nested")
      do {
        let outcome = try body(StoreWriter(connection: connection))
        try connection.run("RELEASE nested")
        return outcome
      } catch {
        connection.logChanges.note()
        if connection.isInTransaction {
          try connection.run("ROLLBACK TO nested")
          try connection.run("RELEASE nested")
        }
        throw error
      }
    }
  }

  private func access<T>(writing: Bool, _ body: (StoreConnection) throws -> T) throws -> T {
    try queue.unsafeRead { database in
      holder.store(Self.thisThread, ordering: .relaxed)
      isHolderWriting.store(writing, ordering: .relaxed)
      defer { holder.store(0, ordering: .relaxed) }
      return try body(connection(database))
    }
  }

  private func connection(_ database: Database) -> StoreConnection {
    StoreConnection(database: database, path: path, logChanges: logChanges)
  }

  /// True where the calling thread is inside an access already.
  package var isHeldByThisThread: Bool { holder.load(ordering: .relaxed) == Self.thisThread }

  private static var thisThread: UInt {
    #if canImport(Darwin)
      unsafe UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  /// Compares the schema where somebody else has committed since it was compared last and the cookie has moved.
  private func verifySchema(_ connection: StoreConnection) throws(StoreError) {
    let version = try connection.integer("PRAGMA data_version") ?? -1
    guard version != seenVersion.load(ordering: .relaxed) else { return }
    let cookie = try Schema.cookie(on: connection)
    if cookie != verifiedSchema.load(ordering: .relaxed) {
      guard try Schema.verify(on: connection) == Schema.version else {
        throw connection.failure(.corrupt, "the store was replaced by an older one; \(StoreError.restore)")
      }
      verifiedSchema.store(cookie, ordering: .relaxed)
    }
    seenVersion.store(version, ordering: .relaxed)
  }

  /// A number that stays the same while the membership log in the store does; it may move when something else changes.
  package var logStamp: LogStamp {
    LogStamp(dataVersion: seenVersion.load(ordering: .relaxed), changes: logChanges.value)
  }

  // MARK: Observers

  /// Calls `observer` after each write through this store, on the writing thread. The result takes it away again.
  package func addObserver(_ observer: @escaping @Sendable () -> Void) -> UInt64 {
    observers.withLock { observers in
      observers.last += 1
      observers.calls[observers.last] = observer
      return observers.last
    }
  }

  package func removeObserver(_ observer: UInt64) { observers.withLock { $0.calls[observer] = nil } }

  // MARK: The whole file

  /// Reads every page and index. Throws ``StoreError/Code/corrupt`` where anything is out of order.
  package func checkIntegrity() throws(StoreError) {
    try translating(path: path) {
      try access(writing: false) { connection in
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
      try translating(path: path) { try access(writing: false) { try $0.integer("PRAGMA data_version") ?? 0 } }
    }
  }
}

/// What ``Store/logStamp`` gives: valid inside the access in which it was taken, and comparable with those of others.
package struct LogStamp: Hashable, Sendable {
  fileprivate let dataVersion: Int64
  fileprivate let changes: UInt64
}
