internal import GRDB

/// The compiled frequent statements of one connection.
///
/// Safe: a store has one connection, and only ``Store`` calls this, inside an access of the connection, which one thread
/// has at a time.
final class FrequentStatements: @unchecked Sendable {
  private var compiled: [ObjectIdentifier: Statement] = [:]

  /// Returns a statement, compiled at its first use.
  func statement(_ frequent: FrequentStatement, _ database: Database) throws -> Statement {
    if let known = compiled[ObjectIdentifier(frequent)] { return known }
    let statement = try database.makeStatement(sql: frequent.sql)
    compiled[ObjectIdentifier(frequent)] = statement
    return statement
  }
}
