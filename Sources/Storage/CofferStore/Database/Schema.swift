internal import CofferFormat
internal import CofferSystem

/// The tables of the store, and the check that a file has exactly these.
///
/// Any program of the same user can write to the file. This program would run triggers and views that another one adds,
/// so the schema is compared, text by text, when the store is opened and after SQLite's schema cookie has changed.
enum Schema {
  /// "Cofr", which identifies the file format to `file` and to this program.
  static let applicationID: Int64 = 0x436F_6672
  /// The version of the tables, incremented with each change.
  static let version: Int64 = 8

  /// The value of `validity` for a version whose contents were pruned. It still covers its bases.
  static let prunedValidity: Int64 = 3

  /// The name of a table that only a store has which another one has replaced.
  static let retiredTable = "replaced_by_a_new_store"

  /// The condition on a row of `record` that stays on this machine.
  static let isDeviceLocal = "substr(signed, \(RecordHeader.deviceLocalOffset + 1), 1) <> x'00'"

  /// The condition on a row of `record` that is a tombstone without a successor. Its byte is before that of
  /// ``isDeviceLocal``.
  static let isDeletion = "tombstone = 1 AND substr(signed, \(RecordHeader.deviceLocalOffset), 1) = x'02'"

  /// The condition on a row `r` of `record` that is a tombstone superseded by device-local versions only. An item that
  /// becomes device-local leaves it to the other machines, and on these it is a head.
  static let isHeadElsewhere = """
    r.tombstone = 1 AND r.head = 0 AND r.standing <> 2 AND NOT \(staysHere("r.signed")) AND NOT EXISTS (
      SELECT 1 FROM edge e CROSS JOIN record c ON c.id = e.record LEFT JOIN skeleton k ON k.record = c.id
      WHERE e.base = r.hash AND c.standing <> 2 AND c.item = r.item AND c.group_id = r.group_id
        AND NOT \(staysHere("ifnull(k.signed, c.signed)")))
    """

  /// The condition on the signed bytes of a version that stays on this machine. Unlike ``isDeviceLocal``, it is right
  /// for a tombstone with the item's new identifier, which is before that byte.
  private static func staysHere(_ signed: String) -> String {
    let content = RecordHeader.deviceLocalOffset
    let distance = "CASE substr(\(signed), \(content), 1) WHEN x'03' THEN 17 ELSE 1 END"
    return "substr(\(signed), \(content) + \(distance), 1) IS x'01'"
  }

  /// The numbers of rows of `record` are lower. Another program may have written the greatest number that there is.
  static let rowLimit = Int64.max / 2

  /// The tables and indexes by name, in the order of creation, with the text that SQLite stores.
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
    // `published` is git's identifier of the file that the remote has, NULL as long as it has none. It is empty as long
    // as the identifier is not known.
    (
      "log",
      """
      CREATE TABLE log (
        sequence INTEGER PRIMARY KEY,
        published BLOB,
        entry BLOB NOT NULL,
        envelope BLOB NOT NULL
      ) STRICT
      """
    ),
    // Valid entries of other branches of the log: the proof of a fork.
    (
      "rival",
      """
      CREATE TABLE rival (
        hash BLOB NOT NULL PRIMARY KEY,
        sequence INTEGER NOT NULL,
        entry BLOB NOT NULL,
        envelope BLOB NOT NULL
      ) STRICT
      """
    ),
    // All other signed objects: see `StoredObject`. `published` as in the log.
    (
      "object",
      """
      CREATE TABLE object (
        kind TEXT NOT NULL,
        name BLOB NOT NULL,
        published BLOB,
        bytes BLOB NOT NULL,
        PRIMARY KEY (kind, name)
      ) STRICT
      """
    ),
    // `created` and `arrival` are the place in lists. The value is the last column: a look-up without it never reads
    // its overflow pages.
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
        created INTEGER NOT NULL,
        arrival INTEGER NOT NULL,
        bases BLOB NOT NULL,
        tokens BLOB NOT NULL,
        signed BLOB NOT NULL,
        attributes BLOB NOT NULL,
        value BLOB NOT NULL
      ) STRICT
      """
    ),
    ("record_item", "CREATE INDEX record_item ON record (group_id, item, head, tombstone, class)"),
    // What lists walk over: no tombstone and no older version. With the two columns of its condition, the index alone
    // answers the query.
    (
      "record_live",
      """
      CREATE INDEX record_live ON record (group_id, class, created, arrival, item, head, tombstone)
      WHERE head = 1 AND tombstone = 0
      """
    ),
    // The items that stay on this machine, so that those at the remote are counted without reading every record.
    (
      "record_local",
      """
      CREATE INDEX record_local ON record (group_id, item)
      WHERE head = 1 AND tombstone = 0 AND \(isDeviceLocal)
      """
    ),
    ("record_pending", "CREATE INDEX record_pending ON record (id) WHERE standing = 2"),
    // The time at which a version ceased to be a head, by this machine's clock. History is kept from then on.
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
    // The authors that have verified a record's signature: a MAC under a key that only that author has.
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
    // Folds of the log, by the hashes of the objects. Apps that have verified the same log share one.
    (
      "fold",
      """
      CREATE TABLE fold (
        hash BLOB NOT NULL PRIMARY KEY,
        sequence INTEGER NOT NULL,
        object BLOB NOT NULL
      ) STRICT
      """
    ),
    // The fold that each author has verified: a MAC under a key that only that author has.
    (
      "fold_proof",
      """
      CREATE TABLE fold_proof (
        author BLOB NOT NULL PRIMARY KEY,
        fold BLOB NOT NULL,
        mac BLOB NOT NULL
      ) STRICT
      """
    ),
    // The bases of each record.
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
    // The tokens of heads, in the order of lists.
    (
      "token",
      """
      CREATE TABLE token (
        group_id BLOB NOT NULL,
        token BLOB NOT NULL,
        created INTEGER NOT NULL,
        arrival INTEGER NOT NULL,
        item BLOB NOT NULL,
        record INTEGER NOT NULL,
        PRIMARY KEY (group_id, token, created, arrival, item, record)
      ) STRICT, WITHOUT ROWID
      """
    ),
    // The number of items with a head that is no tombstone.
    (
      "item_count",
      """
      CREATE TABLE item_count (
        group_id BLOB NOT NULL,
        class INTEGER NOT NULL,
        live INTEGER NOT NULL,
        PRIMARY KEY (group_id, class)
      ) STRICT, WITHOUT ROWID
      """
    ),
    // The items with more than one head, of which at least one is no tombstone.
    (
      "conflict",
      """
      CREATE TABLE conflict (
        group_id BLOB NOT NULL,
        item BLOB NOT NULL,
        PRIMARY KEY (group_id, item)
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
    // The last segment of each stream, and the last number that own segments have reported.
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
        published BLOB,
        envelope BLOB NOT NULL,
        UNIQUE (stream, number)
      ) STRICT
      """
    ),
    // The signed bytes of pruned versions, which prove what these supersede. `superseded` is the time at which the
    // version ceased to be a head, 0 as long as that is not known.
    (
      "skeleton",
      """
      CREATE TABLE skeleton (
        record INTEGER PRIMARY KEY,
        superseded INTEGER NOT NULL,
        signed BLOB NOT NULL
      ) STRICT
      """
    ),
    // In which segments the pending and refused records are, by the hash of all their bytes. Those that are in no
    // segment of the store have a row of `record` with their contents.
    (
      "unadmitted",
      """
      CREATE TABLE unadmitted (
        stream BLOB NOT NULL,
        number INTEGER NOT NULL,
        hash BLOB NOT NULL,
        device BLOB NOT NULL,
        log INTEGER NOT NULL,
        author BLOB NOT NULL,
        group_id BLOB NOT NULL,
        generation INTEGER NOT NULL,
        authentic INTEGER NOT NULL,
        PRIMARY KEY (stream, number, hash)
      ) STRICT, WITHOUT ROWID
      """
    ),
    ("unadmitted_hash", "CREATE INDEX unadmitted_hash ON unadmitted (hash)"),
    // The number of rows and a keyed hash of the tables, sealed under a key of this machine.
    (
      "summary",
      """
      CREATE TABLE summary (
        id INTEGER PRIMARY KEY CHECK (id = 1),
        state BLOB NOT NULL
      ) STRICT
      """
    ),
    ("segment_unpublished", "CREATE INDEX segment_unpublished ON segment (id) WHERE published IS NULL"),
    // All that a sync compares with the remote, so that it does not read the envelopes.
    (
      "segment_published",
      "CREATE INDEX segment_published ON segment (stream, number, published) WHERE published IS NOT NULL"
    ),
  ]

  private static let expected = Dictionary(uniqueKeysWithValues: objects.map { ($0.name, $0.sql) })

  /// Creates the tables and the vault's row. The caller must have begun a transaction.
  static func create(on connection: StoreConnection, genesis: [UInt8], rootSlot: [UInt8]) throws(StoreError) {
    for object in objects { try connection.run(object.sql) }
    try connection.run(
      "INSERT INTO vault (id, genesis, root_slot) VALUES (1, ?1, ?2)", [.blob(genesis), .blob(rootSlot)])
    try connection.run("PRAGMA application_id = \(applicationID)")
    try connection.run("PRAGMA user_version = \(version)")
  }

  /// Returns SQLite's schema cookie. It changes with each change of the schema and takes a microsecond to read.
  static func cookie(on connection: StoreConnection) throws(StoreError) -> Int64 {
    try connection.integer("PRAGMA schema_version") ?? -1
  }

  /// Verifies that the file is a store of this version, with exactly its tables. Writes nothing.
  static func verify(on connection: StoreConnection) throws(StoreError) {
    guard try connection.integer("PRAGMA application_id") == applicationID else {
      throw connection.failure(.corrupt, StoreError.damaged)
    }
    let version = try connection.integer("PRAGMA user_version") ?? 0
    guard version == Self.version else {
      throw connection.failure(
        .otherVersion, "the store has version \(version), this program supports \(Self.version); nothing was changed")
    }
    var found = 0
    let rows = try connection.statement("SELECT name, sql, type FROM sqlite_schema")
    while try rows.step() {
      let name = rows.text(0)
      if let sql = expected[name] {
        guard rows.text(1) == sql else {
          throw connection.failure(.corrupt, "\(name) differs from what this program created")
        }
        found += 1
      } else if name == retiredTable {
        throw StoreError(
          .corrupt, path: connection.path, detail: "the vault was replaced after this program had opened it",
          recoverySuggestion: "start this program again")
      } else if !(name.hasPrefix("sqlite_autoindex_") && rows.text(2) == "index" && rows.text(1).isEmpty) {
        let added = "\(rows.text(2)) \(name)".sanitizedForTerminal()
        throw connection.failure(.corrupt, "another program added \(added)")
      }
    }
    guard found == expected.count else {
      throw connection.failure(.corrupt, "a table or index is missing")
    }
  }
}
