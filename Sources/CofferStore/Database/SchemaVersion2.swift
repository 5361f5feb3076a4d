/// The tables of version 2, and their migration to version 3.
enum SchemaVersion2 {
  private static let log = """
    CREATE TABLE log (
      sequence INTEGER PRIMARY KEY,
      published INTEGER NOT NULL,
      entry BLOB NOT NULL,
      envelope BLOB NOT NULL
    ) STRICT
    """

  private static let segment = """
    CREATE TABLE segment (
      id INTEGER PRIMARY KEY,
      stream BLOB NOT NULL,
      number INTEGER NOT NULL,
      hash BLOB NOT NULL,
      device BLOB NOT NULL,
      published INTEGER NOT NULL,
      envelope BLOB NOT NULL,
      UNIQUE (stream, number)
    ) STRICT
    """

  private static let segmentUnpublished = "CREATE INDEX segment_unpublished ON segment (id) WHERE published = 0"

  /// The tables and indexes that version 3 added.
  private static let added = ["rival", "summary", "segment_published"]

  /// Returns the tables and indexes of version 2, derived from those of version 3.
  static func adapting(_ current: [String: String]) -> [String: String] {
    var objects = current
    for name in added { objects[name] = nil }
    objects["log"] = log
    objects["segment"] = segment
    objects["segment_unpublished"] = segmentUnpublished
    return objects
  }

  /// Migrates to version 3. The caller must have begun a transaction. The identifiers of published files are unknown;
  /// the next sync determines them.
  static func migrate(_ connection: StoreConnection) throws(StoreError) {
    try connection.run("DROP INDEX segment_unpublished")
    try connection.run("ALTER TABLE log RENAME TO log_2")
    try connection.run("ALTER TABLE segment RENAME TO segment_2")
    try Schema.create(added + ["log", "segment", "segment_unpublished"], ofVersion: 3, on: connection)
    try connection.run(
      """
      INSERT INTO log (sequence, published, entry, envelope)
      SELECT sequence, CASE WHEN published <> 0 THEN x'' END, entry, envelope FROM log_2
      """)
    try connection.run(
      """
      INSERT INTO segment (id, stream, number, hash, device, published, envelope)
      SELECT id, stream, number, hash, device, CASE WHEN published <> 0 THEN x'' END, envelope FROM segment_2
      """)
    try connection.run("DROP TABLE log_2")
    try connection.run("DROP TABLE segment_2")
    try connection.run("PRAGMA user_version = 3")
  }
}
