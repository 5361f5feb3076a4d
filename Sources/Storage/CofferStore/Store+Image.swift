internal import CofferPlatform
internal import GRDBSQLite

extension Store {
  /// Returns the whole store as the bytes of a file, which ``openInMemory(image:)`` opens. They are sealed, as the file
  /// is.
  package func image() throws(StoreError) -> [UInt8] {
    try withDatabase { (database) throws(StoreError) in try Self.image(of: database, path: path) }
  }

  /// Returns a database as the bytes of a file, with what is only in its log.
  private static func image(of database: SQLiteDatabase, path: String) throws(StoreError) -> [UInt8] {
    var count: Int64 = 0
    guard let start = unsafe sqlite3_serialize(database.handle, "main", &count, 0) else {
      throw StoreError(
        .io, path: path, detail: "the store does not fit into memory", recoverySuggestion: StoreError.memorySuggestion)
    }
    defer { unsafe sqlite3_free(start) }
    return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }

  /// Opens a copy in memory of a store on a disk without any space, where SQLite cannot make the index of its log that
  /// programs share. The copy can only be read. It has what is committed. Throws ``StoreError/Code/busy`` if another
  /// program has the file open.
  static func openCopy(ofFullDiskAt path: String) throws(StoreError) -> Store {
    let end = ContinuousClock.now + copyTimeout
    while true {
      do throws(StoreError) {
        return try openInMemory(image: image(ofFullDiskAt: path), copiedFrom: path)
      } catch {
        guard error.code == .busy, ContinuousClock.now < end else { throw error }
        usleep(.random(in: 5_000...25_000))
      }
    }
  }

  private static func image(ofFullDiskAt path: String) throws(StoreError) -> [UInt8] {
    // Programs that try it at the same time would keep each other from it.
    let folder = lockFolder(of: path)
    guard folder >= 0 else { throw .sqlite(SQLITE_BUSY, path: path) }
    defer { close(folder) }
    let file = try connect(path: path, lockTimeout: 0)
    var bytes = try file.access { (database) throws(StoreError) in
      let connection = StoreConnection(database: database, path: path)
      // As long as it excludes others, SQLite keeps the index of the log in its own memory.
      try connection.run("PRAGMA locking_mode = EXCLUSIVE")
      // The first statement that reads takes the lock, or finds out that another program has the file open.
      _ = try connection.text("SELECT name FROM sqlite_schema LIMIT 1")
      return try image(of: database, path: path)
    }
    // The end of the connection loses nothing: what is in the log is written into the main file, or stays there.
    try file.close()
    // A file in memory has no log: its header says so (format versions for writing and reading).
    if bytes.count > 19 { (bytes[18], bytes[19]) = (1, 1) }
    return bytes
  }

  /// How long to wait for other programs that copy the store too.
  private static let copyTimeout = Duration.seconds(10)

  /// Opens a store in memory from the bytes of another one. It exists as long as the object. The bytes come from
  /// ``image()``, perhaps in another process. `source` is the path of the store of which it is a copy that can only be
  /// read; nil for a store of its own. Throws ``StoreError/Code/corrupt`` if the bytes are not those of a store of this
  /// version.
  package static func openInMemory(image: [UInt8], copiedFrom source: String? = nil) throws(StoreError) -> Store {
    let path = source ?? memoryPath
    let database = try connect(path: memoryPath)
    let cookie = try database.access { (database) throws(StoreError) in
      try load(image, into: database)
      let connection = StoreConnection(database: database, path: path)
      try Schema.verify(on: connection)
      return try Schema.cookie(on: connection)
    }
    return Store(path: path, database: database, schemaCookie: cookie, isCopy: source != nil)
  }

  private static func load(_ image: [UInt8], into database: SQLiteDatabase) throws(StoreError) {
    // SQLite frees its copy with the connection.
    guard !image.isEmpty, let copy = unsafe sqlite3_malloc64(UInt64(image.count)) else {
      guard image.isEmpty else {
        throw StoreError(
          .io, path: memoryPath, detail: "the store does not fit into memory",
          recoverySuggestion: StoreError.memorySuggestion)
      }
      throw StoreError(.corrupt, path: memoryPath, detail: "there is no store to open in memory")
    }
    unsafe copy.copyMemory(from: image, byteCount: image.count)
    let result = unsafe sqlite3_deserialize(
      database.handle, "main", copy.assumingMemoryBound(to: UInt8.self), Int64(image.count),
      Int64(image.count), UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE))
    guard result == SQLITE_OK else { throw .sqlite(result, path: memoryPath) }
  }
}

// Outside of Store, whose `open` would hide the system's.

/// Locks the folder of a store, which needs no space on the disk. Returns the descriptor that holds the lock, or -1 if
/// somebody else does.
private func lockFolder(of path: String) -> Int32 {
  let folder = unsafe open(StoreError.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
  guard folder >= 0, flock(folder, LOCK_EX | LOCK_NB) != 0 else { return folder }
  close(folder)
  return -1
}
