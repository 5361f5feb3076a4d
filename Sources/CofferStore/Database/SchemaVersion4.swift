/// The tables of version 4, and their migration to version 5.
enum SchemaVersion4 {
  private static let record = """
    CREATE TABLE record (
      id INTEGER PRIMARY KEY,
      hash BLOB NOT NULL UNIQUE,
      group_id BLOB NOT NULL,
      item BLOB NOT NULL,
      class INTEGER NOT NULL,
      tombstone INTEGER NOT NULL,
      time INTEGER NOT NULL,
      author BLOB NOT NULL,
      head INTEGER NOT NULL,
      standing INTEGER NOT NULL,
      bases BLOB NOT NULL,
      tokens BLOB NOT NULL,
      signed BLOB NOT NULL,
      attributes BLOB NOT NULL,
      value BLOB NOT NULL
    ) STRICT
    """

  private static let token = """
    CREATE TABLE token (
      group_id BLOB NOT NULL,
      token BLOB NOT NULL,
      record INTEGER NOT NULL,
      PRIMARY KEY (group_id, token, record)
    ) STRICT, WITHOUT ROWID
    """

  /// The tables and indexes that version 5 added.
  private static let added = ["record_live", "item_count", "conflict"]

  /// Returns the tables and indexes of version 4, derived from those of version 5.
  static func adapting(_ current: [String: String]) -> [String: String] {
    var objects = current
    for name in added { objects[name] = nil }
    objects["record"] = record
    objects["token"] = token
    return objects
  }

  /// Migrates to version 5. The caller must have begun a transaction.
  ///
  /// Version 4 has no records that name the creation of their item, so the place in lists is the time of the version. The
  /// summary covers other columns, so the next sync checks the store and writes another one.
  static func migrate(_ connection: StoreConnection) throws(StoreError) {
    let indexes = ["record_item", "record_pending", "outbox_group"]
    for index in indexes { try connection.run("DROP INDEX \(index)") }
    // `outbox` refers to `record`, and SQLite changes the reference when the table is renamed.
    let tables = ["record", "token", "outbox"]
    for table in tables { try connection.run("ALTER TABLE \(table) RENAME TO \(table)_4") }
    try Schema.create(tables + indexes + added, ofVersion: 5, on: connection)
    try connection.run(
      """
      INSERT INTO record (id, hash, group_id, item, class, tombstone, time, author, head, standing, created, arrival, bases,
        tokens, signed, attributes, value)
      SELECT id, hash, group_id, item, class, tombstone, time, author, head, standing, time, id, bases, tokens, signed,
        attributes, value
      FROM record_4 ORDER BY id
      """)
    // Another program may have left rows without a record, to which the new table may not refer.
    try connection.run(
      """
      INSERT INTO outbox (position, record, group_id)
      SELECT position, record, group_id FROM outbox_4 WHERE record IN (SELECT id FROM record)
      """)
    try connection.run(
      """
      INSERT INTO token (group_id, token, created, arrival, item, record)
      SELECT t.group_id, t.token, r.created, r.arrival, r.item, r.id FROM token_4 t CROSS JOIN record r ON r.id = t.record
      """)
    try ItemCounts.rebuild(connection)
    for table in ["outbox", "token", "record"] { try connection.run("DROP TABLE \(table)_4") }
    try connection.run("DELETE FROM summary")
    try connection.run("PRAGMA user_version = 5")
  }
}
