@testable import CofferStore
import GRDBSQLite

extension Store {
  /// The number of steps that the statements of this connection have taken in SQLite's virtual machine until now: how
  /// much a call reads, whatever else the processor does.
  var stepCount: Int {
    withDatabase { database in
      var count = 0
      var statement = unsafe sqlite3_next_stmt(database.handle, nil)
      while unsafe statement != nil {
        unsafe count += Int(sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0))
        unsafe statement = sqlite3_next_stmt(database.handle, statement)
      }
      return count
    }
  }

  /// Lets the file grow by a number of pages and no more, as on a disk that is nearly full.
  func limitGrowth(toPages count: Int64) throws {
    try withDatabase { (database) throws(StoreError) in
      let connection = StoreConnection(database: database, path: path)
      let pageCount = try connection.integer("PRAGMA page_count") ?? 0
      try connection.run("PRAGMA max_page_count = \(pageCount + count)")
    }
  }
}
