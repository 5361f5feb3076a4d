internal import Synchronization

/// The text of a statement that runs so often that looking it up by its text would take as long as running it. Create each
/// once, as a static constant.
struct FrequentStatement: Sendable {
  let sql: String
  /// The statement's place among those of a connection.
  let number: Int

  private static let count = Atomic<Int>(0)

  init(_ sql: String) {
    self.sql = sql
    number = Self.count.add(1, ordering: .relaxed).oldValue
  }

  /// Starts a read transaction and returns a number that stays the same while no other connection commits.
  static let dataVersion = FrequentStatement("PRAGMA data_version")
}
