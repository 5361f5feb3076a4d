internal import GRDB
internal import GRDBSQLite

extension Store {
  /// Returns the whole store as the bytes of a file. They are sealed, as the file is.
  ///
  /// - Returns: The bytes, which ``openInMemory(image:)`` opens.
  /// - Throws: ``StoreError/Code/io`` if memory is exhausted.
  package func image() throws(StoreError) -> [UInt8] {
    try translating(path: path) {
      try withDatabase { database in
        var count: Int64 = 0
        guard let start = unsafe sqlite3_serialize(database.sqliteConnection, "main", &count, 0) else {
          throw StoreError(.io, path: path, detail: "the store does not fit into memory")
        }
        defer { unsafe sqlite3_free(start) }
        return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
      }
    }
  }

  /// Opens a store in memory from the bytes of another one. It exists as long as the object.
  ///
  /// - Parameter image: What ``image()`` has returned, perhaps in another process.
  /// - Returns: The store.
  /// - Throws: ``StoreError/Code/corrupt`` if the bytes are not those of a store of this version.
  package static func openInMemory(image: [UInt8]) throws(StoreError) -> Store {
    try translating(path: memoryPath) {
      let queue = try DatabaseQueue(configuration: connectionConfiguration())
      let cookie = try queue.unsafeRead { database in
        try load(image, into: database)
        let connection = StoreConnection(database: database, path: memoryPath)
        guard try Schema.verify(on: connection) == Schema.version else {
          throw connection.failure(.corrupt, "it was made by another version of this program")
        }
        return try Schema.cookie(on: connection)
      }
      return Store(path: memoryPath, queue: queue, schemaCookie: cookie)
    }
  }

  private static func load(_ image: [UInt8], into database: Database) throws(StoreError) {
    // SQLite frees its copy with the connection.
    guard !image.isEmpty, let copy = unsafe sqlite3_malloc64(UInt64(image.count)) else {
      throw StoreError(image.isEmpty ? .corrupt : .io, path: memoryPath, detail: "there is no store to open in memory")
    }
    unsafe copy.copyMemory(from: image, byteCount: image.count)
    let result = unsafe sqlite3_deserialize(
      database.sqliteConnection, "main", copy.assumingMemoryBound(to: UInt8.self), Int64(image.count),
      Int64(image.count), UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE))
    guard result == SQLITE_OK else { throw .sqlite(result, path: memoryPath) }
  }
}
