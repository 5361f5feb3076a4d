/// The tables of version 5, and their migration to version 6.
enum SchemaVersion5 {
  /// The tables that version 6 added.
  private static let added = ["record_list", "root_slot", "fold", "fold_proof"]

  /// Returns the tables and indexes of version 5, derived from those of version 6.
  static func adapting(_ current: [String: String]) -> [String: String] {
    current.filter { !added.contains($0.key) }
  }

  /// Migrates to version 6. The caller must have begun a transaction.
  static func migrate(_ connection: StoreConnection) throws(StoreError) {
    try Schema.create(added, ofVersion: 6, on: connection)
    try connection.run("PRAGMA user_version = 6")
  }
}
