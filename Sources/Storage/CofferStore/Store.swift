package import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import GRDBSQLite
internal import Synchronization

/// The local store: one SQLite file in WAL mode, shared by all apps of the user.
///
/// It has one connection, used by one caller at a time. Accesses block their thread. An access inside another one of
/// the same thread joins it: a write inside a write is part of the same transaction.
package final class Store: Sendable {
  /// The path of the file; ``memoryPath`` for a store in memory.
  package let path: String
  /// Whether it is a copy in memory of a file that cannot be written.
  private let isCopy: Bool
  private let database: SQLiteDatabase
  /// SQLite's schema cookie at the last comparison of the schema.
  private let verifiedSchema: Atomic<Int64>
  /// SQLite's data version at the last access. While it is unchanged, no other connection has committed.
  private let seenVersion = Atomic<Int64>(-1)
  private let logChanges = LogChanges()
  private let summary = SummaryRecorder()
  private let stamp: StoreStamp?
  private let itemCounts = ItemCounts()
  /// The thread inside an access, 0 for none, and whether it writes. Only that thread can find its own number here, so
  /// its conclusions stay correct.
  private let holder = Atomic<UInt>(0)
  private let isHolderWriting = Atomic<Bool>(false)
  private let observers = Mutex(Observers())

  private struct Observers {
    var last: UInt64 = 0
    var calls: [UInt64: @Sendable () -> Void] = [:]
  }

  /// The value of ``path`` for a store in memory.
  package static let memoryPath = ":memory:"

  init(path: String, database: SQLiteDatabase, schemaCookie: Int64, isCopy: Bool = false) {
    self.path = path
    self.isCopy = isCopy
    self.database = database
    verifiedSchema = Atomic(schemaCookie)
    stamp = isCopy || path == Self.memoryPath ? nil : StoreStamp(storePath: path)
  }

  deinit {
    guard let stamp else { return }
    database.access { stamp.save(connection($0)) }
  }

  // MARK: Opening

  /// Opens a store. If this fails, the file is unchanged. On a disk without any space, opens a copy in memory that can
  /// be read, unless another program has the store open. Throws ``StoreError/Code/missing`` if there is no file;
  /// ``StoreError/Code/corrupt`` if the file is not a store or has other tables, triggers or views, or if a rollback
  /// journal is beside it; ``StoreError/Code/permissionDenied`` if the file or its folder is another user's;
  /// ``StoreError/Code/otherVersion`` if it has another version.
  package static func open(at path: String) throws(StoreError) -> Store {
    do throws(StoreError) {
      return try openFile(at: path)
    } catch {
      guard error.code == .diskFull, let copy = try? openCopy(ofFullDiskAt: path) else { throw error }
      return copy
    }
  }

  private static func openFile(at path: String) throws(StoreError) -> Store {
    let database = try connect(path: path)
    let cookie = try database.access { (database) throws(StoreError) in
      let connection = StoreConnection(database: database, path: path)
      try connection.run("BEGIN DEFERRED")
      do throws(StoreError) {
        try Schema.verify(on: connection)
      } catch {
        // After some errors, as on a full disk, SQLite has ended the transaction itself.
        if connection.isInTransaction { try connection.run("COMMIT") }
        throw error
      }
      try connection.run("COMMIT")
      try makeDurable(connection)
      // In KiB, enough for the indexes of 100,000 items: pages that do not fit are read and checked again. SQLite takes
      // memory for those only that it has read. Not before: it reads the schema first.
      try connection.run("PRAGMA cache_size = -16384")
      return try Schema.cookie(on: connection)
    }
    return Store(path: path, database: database, schemaCookie: cookie)
  }

  /// Opens a connection with protection against hostile files, as ``SQLiteDatabase/init(path:lockTimeout:)`` does.
  static func connect(
    path: String, lockTimeout: Int32 = busyTimeoutMilliseconds
  ) throws(StoreError) -> SQLiteDatabase {
    let database = try SQLiteDatabase(path: path, lockTimeout: lockTimeout)
    try database.access { (database) throws(StoreError) in
      let handle = unsafe database.handle
      // Slightly more than the largest row: a planted gigabyte fails instead of exhausting the memory.
      _ = unsafe sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 34 << 20)
      // A trigger that is added between two comparisons of the schema fails instead of running.
      _ = unsafe sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, 0)
      _ = unsafe sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0)
      let connection = StoreConnection(database: database, path: path)
      try connection.run("PRAGMA foreign_keys = ON")
      try connection.run("PRAGMA trusted_schema = OFF")
      try connection.run("PRAGMA cell_size_check = ON")
      try connection.run("PRAGMA temp_store = MEMORY")
    }
    return database
  }

  /// Sets WAL and synchronous = FULL, and reads both back.
  static func makeDurable(_ connection: StoreConnection) throws(StoreError) {
    if try connection.text("PRAGMA journal_mode") != "wal" {
      // Only the header changes. There is never a rollback journal: see StoreFolder.
      _ = try connection.text("PRAGMA journal_mode = MEMORY")
      guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
        throw connection.failure(.io, "the file system does not support write-ahead logging; move the store to another")
      }
    }
    try connection.run("PRAGMA synchronous = FULL")
    guard try connection.integer("PRAGMA synchronous") == 2, try connection.text("PRAGMA journal_mode") == "wal" else {
      throw connection.failure(.io, "SQLite cannot make writes durable here; move the store to another file system")
    }
  }

  // MARK: Access

  /// Runs `body` with one consistent snapshot. Rethrows its errors unchanged.
  package func read<T>(_ body: (borrowing StoreReader) throws -> T) throws -> T {
    if isHeldByThisThread {
      return try body(StoreReader(connection: connection(database)))
    }
    return try access(writing: false) { connection in
      // As long as this statement is not reset, SQLite keeps its read transaction for all others: one snapshot, without
      // the time for BEGIN and COMMIT.
      let snapshot = try connection.statement(.dataVersion)
      defer { snapshot.reset() }
      guard try snapshot.step() else { throw connection.failure(.io, "SQLite has no data version") }
      try verifySchema(connection, dataVersion: snapshot.integer(0))
      return try body(StoreReader(connection: connection))
    }
  }

  /// Runs `body` as one transaction. After a return, all changes are on disk; after a throw, none is. An error after
  /// which SQLite has undone the whole transaction, such as that of a full disk, is thrown even if `body` catches it.
  ///
  /// Inside another write, the transaction becomes part of the outer one: if it throws, only its own changes are
  /// undone; otherwise they become durable with the outer one. The timeout for another writer is 30 seconds if nil, and
  /// then throws ``StoreError/Code/busy``.
  package func write<T>(
    timeout: Duration? = nil, _ body: (borrowing StoreWriter) throws -> T
  ) throws -> T {
    if isCopy { throw StoreError.fullDisk(path: path) }
    if isHeldByThisThread { return try writeNested(body) }
    defer { for call in observers.withLock({ Array($0.calls.values) }) { call() } }
    return try access(writing: true) { connection in
      try begin(connection, timeout: timeout)
      connection.database.isWriting = true
      defer { connection.database.isWriting = false }
      let outcome: T
      do {
        try verifySchema(connection, dataVersion: connection.integer(.dataVersion, []) ?? -1)
        try stamp?.examine(connection) { summary.key }
        outcome = try body(StoreWriter(connection: connection))
        try itemCounts.save(connection)
        try summary.save(connection)
        FaultPoint.reached(.transactionComplete)
        try connection.run("COMMIT")
        FaultPoint.reached(.transactionCommitted)
        stamp?.recordCommit(keepsSummary: summary.hasKeySource)
        summary.reset()
      } catch {
        stamp?.recordRollback()
        summary.reset()
        itemCounts.reset()
        connection.logChanges.increment()
        // SQLite may already have rolled back.
        if connection.isInTransaction { try connection.run("ROLLBACK") }
        throw error
      }
      return outcome
    }
  }

  private func begin(_ connection: StoreConnection, timeout: Duration?) throws(StoreError) {
    guard let timeout else { return try beginImmediate(connection) }
    let milliseconds = timeout.components.seconds * 1000 + timeout.components.attoseconds / 1_000_000_000_000_000
    let handle = unsafe connection.database.handle
    _ = unsafe sqlite3_busy_timeout(handle, Int32(clamping: milliseconds))
    defer { _ = unsafe sqlite3_busy_timeout(handle, Self.busyTimeoutMilliseconds) }
    try beginImmediate(connection)
  }

  /// Begins a write transaction.
  private func beginImmediate(_ connection: StoreConnection) throws(StoreError) {
    try connection.run("BEGIN IMMEDIATE")
  }

  static let busyTimeoutMilliseconds: Int32 = 30_000

  private func writeNested<T>(_ body: (borrowing StoreWriter) throws -> T) throws -> T {
    guard isHolderWriting.load(ordering: .relaxed) else {
      throw StoreError(
        .io, path: path, detail: "a write was started inside a read",
        recoverySuggestion: "start the write before the read")
    }
    let connection = connection(database)
    try connection.run("SAVEPOINT nested")
    let changes = (summary.changes, itemCounts.changes)
    do {
      let outcome = try body(StoreWriter(connection: connection))
      try connection.run("RELEASE nested")
      return outcome
    } catch {
      connection.logChanges.increment()
      summary.restore(changes.0)
      itemCounts.restore(changes.1)
      if connection.isInTransaction {
        try connection.run("ROLLBACK TO nested")
        try connection.run("RELEASE nested")
      }
      throw error
    }
  }

  private func access<T, E>(
    writing: Bool, _ body: (StoreConnection) throws(E) -> T
  ) throws(E) -> T {
    try database.access { (database) throws(E) in
      holder.store(Self.thisThread, ordering: .relaxed)
      isHolderWriting.store(writing, ordering: .relaxed)
      defer { holder.store(0, ordering: .relaxed) }
      return try body(connection(database))
    }
  }

  /// Calls `body` with the connection, between two accesses.
  func withDatabase<T, E>(_ body: (SQLiteDatabase) throws(E) -> T) throws(E) -> T { try database.access(body) }

  private func connection(_ database: SQLiteDatabase) -> StoreConnection {
    StoreConnection(
      database: database, path: path, logChanges: logChanges, summary: summary, stamp: stamp, itemCounts: itemCounts)
  }

  /// True if the calling thread is inside an access.
  package var isHeldByThisThread: Bool { holder.load(ordering: .relaxed) == Self.thisThread }

  private static var thisThread: UInt {
    #if canImport(Darwin)
      unsafe UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  /// Compares the schema if another connection has committed and SQLite's schema cookie has changed since the last
  /// comparison.
  private func verifySchema(_ connection: StoreConnection, dataVersion version: Int64) throws(StoreError) {
    guard version != seenVersion.load(ordering: .relaxed) else { return }
    let cookie = try Schema.cookie(on: connection)
    if cookie != verifiedSchema.load(ordering: .relaxed) {
      try Schema.verify(on: connection)
      verifiedSchema.store(cookie, ordering: .relaxed)
    }
    seenVersion.store(version, ordering: .relaxed)
  }

  /// A value that stays the same while the membership log in the store is unchanged. It may also change for other
  /// reasons.
  package var logStamp: LogStamp {
    LogStamp(dataVersion: seenVersion.load(ordering: .relaxed), changes: logChanges.value)
  }

  /// A value that changes with each commit of another program, or of another store on the same file, as of the last
  /// access.
  package var foreignVersion: Int64 { seenVersion.load(ordering: .relaxed) }

  /// Sets the source of the key that authenticates the summary of the rows. It is called at the first write that
  /// changes a row; if it returns nil, that write deletes the summary. Without a source, the store keeps no summary.
  package func setSummaryKey(_ source: @escaping @Sendable () -> SymmetricKey?) { summary.setKeySource(source) }

  /// Leaves a note for the next program, which ``note(ofStoreAt:key:)`` returns until anybody writes to the store.
  package func leaveNote(_ note: [UInt8]) { stamp?.setNote(note) }

  /// Returns the note of the last program that had the store open, without opening it. Nil if anybody has written to
  /// the store since, and if there is none. `key` returns the key of the summary.
  package static func note(ofStoreAt path: String, key: () -> SymmetricKey?) -> [UInt8]? {
    StoreStamp(storePath: path).readNote(key)
  }

  // MARK: Observers

  /// Adds an observer that is called after each write through this store, on the writing thread. Returns a number for
  /// ``removeObserver(_:)``.
  package func addObserver(_ observer: @escaping @Sendable () -> Void) -> UInt64 {
    observers.withLock { observers in
      observers.last += 1
      observers.calls[observers.last] = observer
      return observers.last
    }
  }

  package func removeObserver(_ observer: UInt64) { observers.withLock { $0.calls[observer] = nil } }

  // MARK: The whole file

  /// Lets SQLite keep more pages in memory, before many records are written: each changes pages all over the indexes,
  /// and a page that is not in memory is read and written once for each of them.
  package func enlargeCache() throws(StoreError) {
    try access(writing: false) { (connection) throws(StoreError) in
      _ = try connection.run("PRAGMA cache_size = -\(Self.enlargedCacheByteCount >> 10)")
    }
  }

  private static let enlargedCacheByteCount = 48 << 20

  /// Moves everything into the main file, so that the file can be moved. No other program may have it open. Throws
  /// ``StoreError/Code/busy`` if another program reads or writes for longer than the timeout.
  package func moveLogIntoFile() throws(StoreError) {
    try access(writing: false) { (connection) throws(StoreError) in
      // SQLite reports a blocked checkpoint in the first column, and not as an error.
      guard try connection.integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0 else {
        throw StoreError.sqlite(SQLITE_BUSY, path: path)
      }
      var information = stat()
      if unsafe stat(path + "-wal", &information) == 0, information.st_size > 0 {
        throw StoreError(.io, path: path, detail: "SQLite did not write the store completely")
      }
    }
  }

  /// Reads every page and index. Throws ``StoreError/Code/corrupt`` if anything is inconsistent.
  package func checkIntegrity() throws(StoreError) {
    try access(writing: false) { (connection) throws(StoreError) in
      guard try connection.text("PRAGMA integrity_check(1)") == "ok" else {
        throw connection.failure(.corrupt, StoreError.damaged)
      }
      guard try connection.text("PRAGMA foreign_key_check") == nil else {
        throw connection.failure(.corrupt, "rows refer to missing rows")
      }
    }
  }
}
