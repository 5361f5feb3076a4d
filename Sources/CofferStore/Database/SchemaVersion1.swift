/// The tables of version 1, and their migration to version 2.
enum SchemaVersion1 {
  private static let recordItem = "CREATE INDEX record_item ON record (group_id, item, head, tombstone)"
  private static let recordSuperseded =
    "CREATE INDEX record_superseded ON record (time) WHERE head = 0 AND standing = 1"

  private static let token = """
    CREATE TABLE token (
      group_id BLOB NOT NULL,
      token BLOB NOT NULL,
      record INTEGER NOT NULL,
      shared INTEGER NOT NULL,
      PRIMARY KEY (group_id, token, record)
    ) STRICT, WITHOUT ROWID
    """

  /// Returns the tables and indexes of version 1, derived from those of version 2.
  static func adapting(_ current: [String: String]) -> [String: String] {
    var objects = current
    for added in ["superseded", "superseded_time", "verified"] { objects[added] = nil }
    objects["record_item"] = recordItem
    objects["token"] = token
    objects["record_superseded"] = recordSuperseded
    return objects
  }

  /// Migrates to version 2. The caller must have begun a transaction. Superseded versions get the current time, because
  /// the time at which they were superseded is unknown.
  static func migrate(_ connection: StoreConnection) throws(StoreError) {
    try connection.run("DROP INDEX record_item")
    try connection.run("DROP INDEX record_superseded")
    try connection.run("ALTER TABLE token RENAME TO token_1")
    try Schema.create(
      ["record_item", "token", "superseded", "superseded_time", "verified"], ofVersion: 2, on: connection)
    try connection.run("INSERT INTO token (group_id, token, record) SELECT group_id, token, record FROM token_1")
    try connection.run("DROP TABLE token_1")
    try connection.run(
      """
      INSERT INTO superseded (record, time)
      SELECT id, \(StoreConnection.now) FROM record WHERE head = 0 AND standing = 1
      """)
    try connection.run("PRAGMA user_version = 2")
  }
}
