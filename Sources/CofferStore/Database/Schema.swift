internal import CofferSystem

/// The tables, and the check that a file has these and no others.
///
/// Another program of the same user can write to the file. A trigger or a view of its making would run in ours, so
/// that the schema is compared, text by text, at open and whenever SQLite's schema cookie has moved since.
enum Schema {
  /// "Cofr": `file` and this program tell the format by it.
  static let applicationID: Int64 = 0x436F_6672
  /// Rises with every change of the tables.
  static let version: Int64 = 2

  /// What `standing` holds for a version whose contents are pruned: it still covers its bases.
  static let prunedStanding: Int64 = 3

  /// Every table and index by name, in the order of creation and with the text that SQLite keeps.
  static let objects: [(name: String, sql: String)] = [
    (
      "vault",
      """
      CREATE TABLE vault (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        genesis BLOB NOT NULL,
        root_slot BLOB NOT NULL
      ) STRICT
      """
    ),
    (
      "setting",
      """
      CREATE TABLE setting (
        name TEXT NOT NULL PRIMARY KEY,
        value BLOB NOT NULL
      ) STRICT, WITHOUT ROWID
      """
    ),
    (
      "log",
      """
      CREATE TABLE log (
        sequence INTEGER PRIMARY KEY,
        published INTEGER NOT NULL,
        entry BLOB NOT NULL,
        envelope BLOB NOT NULL
      ) STRICT
      """
    ),
    // The value stands last: a look-up that leaves it out never touches its overflow pages.
    (
      "record",
      """
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
    ),
    ("record_item", "CREATE INDEX record_item ON record (group_id, item, head, tombstone, class)"),
    ("record_pending", "CREATE INDEX record_pending ON record (id) WHERE standing = 2"),
    // When a version stopped to be a head, by this machine's clock: history is kept from then on.
    (
      "superseded",
      """
      CREATE TABLE superseded (
        record INTEGER PRIMARY KEY,
        time INTEGER NOT NULL
      ) STRICT
      """
    ),
    ("superseded_time", "CREATE INDEX superseded_time ON superseded (time)"),
    // Who has checked a record's signature: a MAC under a key that only that author holds.
    (
      "verified",
      """
      CREATE TABLE verified (
        record INTEGER NOT NULL,
        author BLOB NOT NULL,
        mac BLOB NOT NULL,
        PRIMARY KEY (record, author)
      ) STRICT, WITHOUT ROWID
      """
    ),
    // Which record names which base.
    (
      "edge",
      """
      CREATE TABLE edge (
        base BLOB NOT NULL,
        record INTEGER NOT NULL,
        PRIMARY KEY (base, record)
      ) STRICT, WITHOUT ROWID
      """
    ),
    // The tokens of heads.
    (
      "token",
      """
      CREATE TABLE token (
        group_id BLOB NOT NULL,
        token BLOB NOT NULL,
        record INTEGER NOT NULL,
        PRIMARY KEY (group_id, token, record)
      ) STRICT, WITHOUT ROWID
      """
    ),
    (
      "outbox",
      """
      CREATE TABLE outbox (
        position INTEGER PRIMARY KEY,
        record INTEGER NOT NULL UNIQUE REFERENCES record (id),
        group_id BLOB NOT NULL
      ) STRICT
      """
    ),
    ("outbox_group", "CREATE INDEX outbox_group ON outbox (group_id, position)"),
    // The last segment of each stream, and how much of it our own segments have reported.
    (
      "stream",
      """
      CREATE TABLE stream (
        stream BLOB NOT NULL PRIMARY KEY,
        device BLOB NOT NULL,
        own INTEGER NOT NULL,
        number INTEGER NOT NULL,
        hash BLOB NOT NULL,
        reported INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID
      """
    ),
    (
      "segment",
      """
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
    ),
    ("segment_unpublished", "CREATE INDEX segment_unpublished ON segment (id) WHERE published = 0"),
  ]

  private static let expected = Dictionary(uniqueKeysWithValues: objects.map { ($0.name, $0.sql) })

  /// The tables of a version that this program can bring up to date; nil for any other.
  private static func expected(in version: Int64) -> [String: String]? {
    switch version {
    case Self.version: return expected
    case 1: return SchemaVersion1.adapting(expected)
    default: return nil
    }
  }

  /// Makes the tables and the vault's row, inside the caller's transaction.
  static func create(on connection: StoreConnection, genesis: [UInt8], rootSlot: [UInt8]) throws(StoreError) {
    for object in objects { try connection.run(object.sql) }
    try connection.run(
      "INSERT INTO vault (id, genesis, root_slot) VALUES (1, ?1, ?2)", [.blob(genesis), .blob(rootSlot)])
    try connection.run("PRAGMA application_id = \(applicationID)")
    try connection.run("PRAGMA user_version = \(version)")
  }

  /// SQLite's schema cookie: it moves with every change of the schema, and can be read in a microsecond.
  static func cookie(on connection: StoreConnection) throws(StoreError) -> Int64 {
    try connection.integer("PRAGMA schema_version") ?? -1
  }

  /// Throws unless the file is a store of this or an older version with exactly that version's tables. It writes nothing.
  ///
  /// - Returns: The file's version.
  @discardableResult
  static func verify(on connection: StoreConnection) throws(StoreError) -> Int64 {
    guard try connection.integer("PRAGMA application_id") == applicationID else {
      throw connection.failure(.corrupt, StoreError.damaged)
    }
    let version = try connection.integer("PRAGMA user_version") ?? 0
    guard version <= Self.version else {
      throw connection.failure(
        .versionTooNew,
        "the store has version \(version) and this program knows \(Self.version); nothing was touched; upgrade Coffer")
    }
    guard let expected = expected(in: version) else { throw connection.failure(.corrupt, StoreError.damaged) }
    var found = 0
    let rows = try connection.statement("SELECT name, sql, type FROM sqlite_schema")
    while try rows.step() {
      let name = rows.text(0)
      if let sql = expected[name] {
        guard rows.text(1) == sql else {
          throw connection.failure(.corrupt, "\(name) is not as this program made it; \(StoreError.restore)")
        }
        found += 1
      } else if !(name.hasPrefix("sqlite_autoindex_") && rows.text(2) == "index" && rows.text(1).isEmpty) {
        let added = "\(rows.text(2)) \(name)".sanitizedForTerminal()
        throw connection.failure(.corrupt, "another program added \(added); drop it, or \(StoreError.restore)")
      }
    }
    guard found == expected.count else {
      throw connection.failure(.corrupt, "a table or index is gone; \(StoreError.restore)")
    }
    return version
  }

  /// Brings a store of an older version up to date, whole or not at all. Programs of that version that have it open see a newer
  /// one from then on, say so, and touch nothing.
  static func migrate(_ connection: StoreConnection) throws(StoreError) {
    try connection.run("BEGIN IMMEDIATE")
    do {
      // Another program may have been faster.
      if try verify(on: connection) == 1 { try SchemaVersion1.migrate(connection) }
      try connection.run("COMMIT")
    } catch {
      if connection.isInTransaction { try connection.run("ROLLBACK") }
      throw error
    }
  }
}
