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
}
