/// The tables of version 3, and their migration to version 4.
enum SchemaVersion3 {
  /// The tables and indexes that version 4 added.
  private static let added = ["unadmitted", "unadmitted_hash"]

  /// Returns the tables and indexes of version 3, derived from those of version 4.
  static func adapting(_ current: [String: String]) -> [String: String] {
    var objects = current
    for name in added { objects[name] = nil }
    return objects
  }

  /// Migrates to version 4. The caller must have begun a transaction.
  ///
  /// The segments of the pending records are unknown: without the setting, the next sync reads all segments. The summary
  /// does not cover the new table, so that sync checks the store and writes another one.
  static func migrate(_ connection: StoreConnection) throws(StoreError) {
    try Schema.create(added, ofVersion: 4, on: connection)
    try connection.run("DELETE FROM setting WHERE name = ?1", [.text(Setting.validatedLog.rawValue)])
    try connection.run("DELETE FROM summary")
    try connection.run("PRAGMA user_version = 4")
  }
}
