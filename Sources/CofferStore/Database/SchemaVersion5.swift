/// The tables of version 5, and their migration to version 6.
enum SchemaVersion5 {
  /// The table that version 6 added.
  private static let added = "record_list"

  /// Returns the tables and indexes of version 5, derived from those of version 6.
  static func adapting(_ current: [String: String]) -> [String: String] {
    var objects = current
    objects[added] = nil
    return objects
  }

  /// Migrates to version 6. The caller must have begun a transaction.
  static func migrate(_ connection: StoreConnection) throws(StoreError) {
    try Schema.create([added], ofVersion: 6, on: connection)
    try connection.run("PRAGMA user_version = 6")
  }
}
