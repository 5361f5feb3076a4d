/// The tables of version 6, and their migration to version 7.
enum SchemaVersion6 {
  /// The tables and the index that version 7 added.
  private static let added = ["skeleton", "checkpoint", "chunk", "record_local"]

  /// Returns the tables and indexes of version 6, derived from those of version 7.
  static func adapting(_ current: [String: String]) -> [String: String] {
    current.filter { !added.contains($0.key) }
  }

  /// Migrates to version 7. The caller must have begun a transaction. The summary still holds: the added tables are empty.
  static func migrate(_ connection: StoreConnection) throws(StoreError) {
    try Schema.create(added, ofVersion: 7, on: connection)
    try connection.run("PRAGMA user_version = 7")
  }
}
