internal import GRDB

/// The compiled frequent statements of one connection.
///
/// Safe: a store has one connection, and only ``Store`` calls this, inside an access of the connection, which one thread
/// has at a time.
final class FrequentStatements: @unchecked Sendable {
  private var compiled: [Statement?] = []

  /// Returns a statement, compiled at its first use.
  func statement(_ frequent: FrequentStatement, _ database: Database) throws -> Statement {
    if frequent.number < compiled.count, let known = compiled[frequent.number] { return known }
    let statement = try database.makeStatement(sql: frequent.sql)
    if frequent.number >= compiled.count {
      compiled += Array(repeating: nil, count: frequent.number + 1 - compiled.count)
    }
    compiled[frequent.number] = statement
    return statement
  }
}
