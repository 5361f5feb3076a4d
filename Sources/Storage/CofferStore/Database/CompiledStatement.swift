internal import GRDBSQLite

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
