/// The text of a statement that runs so often that looking it up by its text would take as long as running it.
final class FrequentStatement: Sendable {
  let sql: String

  init(_ sql: String) { self.sql = sql }

  /// Starts a read transaction and returns a number that stays the same while no other connection commits.
  static let dataVersion = FrequentStatement("PRAGMA data_version")
}
