internal import GRDBSQLite

/// Owns SQLite's handle of a compiled statement. It is used inside an access of its connection only.
@safe final class CompiledStatement {
  let handle: OpaquePointer

  /// Takes over a handle of SQLite.
  @unsafe init(_ handle: OpaquePointer) { unsafe self.handle = handle }

  deinit { _ = unsafe sqlite3_finalize(handle) }
}
