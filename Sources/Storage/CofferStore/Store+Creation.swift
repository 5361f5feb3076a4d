internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem

extension Store {
  /// Creates a store at `path`, readable by its owner only, and opens it.
  ///
  /// The file is built under a temporary name and then linked, so a crash never leaves half a store. If two programs
  /// create the same store at the same time, exactly one succeeds. Throws ``StoreError/Code/alreadyExists`` if the
  /// file, or what remains of an earlier store, exists.
  package static func create(at path: String, genesis: [UInt8], rootSlot: [UInt8]) throws(StoreError) -> Store {
    try refuseRemnants(at: path)
    let draft = "\(path).\(hexadecimal(Random.bytes(count: 8))).new"
    do throws(StoreError) {
      try makeEmptyFile(at: draft)
      try build(at: draft, genesis: genesis, rootSlot: rootSlot)
      FaultPoint.reached(.storeDrafted)
      guard unsafe link(draft, path) == 0 else { throw StoreError.system(errno, "creating the store", path: path) }
    } catch {
      removeDraft(draft)
      throw error.about(path)
    }
    FaultPoint.reached(.storeLinked)
    removeDraft(draft)
    try synchroniseFolder(of: path)
    return try open(at: path)
  }

  /// Creates a store in memory, which exists as long as the object.
  package static func createInMemory(genesis: [UInt8], rootSlot: [UInt8]) throws(StoreError) -> Store {
    let database = try connect(path: memoryPath)
    let cookie = try database.access { (database) throws(StoreError) in
      let connection = StoreConnection(database: database, path: memoryPath)
      try Schema.create(on: connection, genesis: genesis, rootSlot: rootSlot)
      return try Schema.cookie(on: connection)
    }
    return Store(path: memoryPath, database: database, schemaCookie: cookie)
  }

  /// Verifies that no write-ahead log or journal remains from an earlier store: SQLite would replay it into the new
  /// one.
  private static func refuseRemnants(at path: String) throws(StoreError) {
    for suffix in ["", "-wal", "-journal"] {
      var information = stat()
      guard unsafe lstat(path + suffix, &information) != 0 else {
        throw StoreError(
          .alreadyExists, path: path + suffix,
          detail: suffix.isEmpty ? "a store already exists here" : "this file remains from a store that was deleted",
          recoverySuggestion: suffix.isEmpty ? StoreError.existingSuggestion : "move it away, then try again")
      }
      guard errno == ENOENT else { throw .system(errno, "creating the store", path: path) }
    }
  }

  private static func build(at path: String, genesis: [UInt8], rootSlot: [UInt8]) throws(StoreError) {
    let database = try connect(path: path)
    try database.access { (database) throws(StoreError) in
      let connection = StoreConnection(database: database, path: path)
      try makeDurable(connection)
      try connection.run("BEGIN IMMEDIATE")
      // If this fails, the draft is deleted.
      try Schema.create(on: connection, genesis: genesis, rootSlot: rootSlot)
      try connection.run("COMMIT")
      // Move everything into the main file: only that file gets the final name.
      try connection.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    try database.close()
    var information = stat()
    if unsafe stat(path + "-wal", &information) == 0, information.st_size > 0 {
      throw StoreError(.io, path: path, detail: "SQLite did not write the new store completely")
    }
  }

  private static func removeDraft(_ draft: String) {
    for suffix in ["", "-wal", "-shm", "-journal"] { _ = unsafe unlink(draft + suffix) }
  }
}

extension StoreError {
  /// Returns the same error for another file.
  fileprivate func about(_ path: String) -> StoreError { StoreError(code, path: path, detail: detail) }
}

// Outside of Store, whose `open` would hide the system's.

private func makeEmptyFile(at path: String) throws(StoreError) {
  let file = unsafe open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0o600)
  guard file >= 0 else { throw .system(errno, "creating the store", path: path) }
  defer { close(file) }
  // A umask can remove permissions even from 0600. SQLite creates -wal and -shm with the mode of this file.
  guard fchmod(file, 0o600) == 0 else { throw .system(errno, "creating the store", path: path) }
}

private func synchroniseFolder(of path: String) throws(StoreError) {
  let folder = StoreError.folder(of: path)
  let file = unsafe open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
  guard file >= 0 else { throw .system(errno, "creating the store", path: folder) }
  defer { close(file) }
  guard fsync(file) == 0 else { throw .system(errno, "creating the store", path: folder) }
}
