internal import CofferCrypto
package import CofferFormat

/// The queries inside ``Store/read(_:)`` and ``Store/write(timeout:_:)``.
package protocol StoreAccess: ~Copyable {
  var connection: StoreConnection { get }
}

extension StoreAccess where Self: ~Copyable {
  /// Returns the signed genesis.
  package func genesis() throws(StoreError) -> [UInt8] {
    guard let bytes = try connection.bytes("SELECT genesis FROM vault WHERE id = 1") else {
      throw .malformed("the vault's row", path: connection.path)
    }
    return bytes
  }

  /// Returns the sealed root keys.
  package func rootSlot() throws(StoreError) -> [UInt8] {
    guard let bytes = try connection.bytes("SELECT root_slot FROM vault WHERE id = 1") else {
      throw .malformed("the vault's row", path: connection.path)
    }
    return bytes
  }

  /// Returns the size of the database in bytes.
  package func byteCount() throws(StoreError) -> Int {
    let pages = try connection.integer("PRAGMA page_count") ?? 0
    return Int(clamping: pages) * Int(clamping: try connection.integer("PRAGMA page_size") ?? 0)
  }

  /// Returns the value of a setting; nil if it is not set.
  package func setting(_ setting: Setting) throws(StoreError) -> [UInt8]? {
    try connection.bytes("SELECT value FROM setting WHERE name = ?1", [.text(setting.rawValue)])
  }

  /// Returns the number of the last log entry; 0 if there is only the genesis.
  package func logLength() throws(StoreError) -> UInt64 {
    let statement = try connection.statement("SELECT ifnull(max(sequence), 0) FROM log")
    return try statement.step() ? statement.unsigned(0, "log.sequence") : 0
  }

  /// Returns the number of the last published log entry; 0 if there is none.
  package func publishedLogLength() throws(StoreError) -> UInt64 {
    let statement = try connection.statement("SELECT ifnull(max(sequence), 0) FROM log WHERE published IS NOT NULL")
    return try statement.step() ? statement.unsigned(0, "log.sequence") : 0
  }

  /// Returns the last published log entry; nil if there is none.
  package func lastPublishedLogEntry() throws(StoreError) -> StoredLogEntry? { try logEntry(publishedLogLength()) }

  /// Returns the number of the last log entry that does not give way to another machine's, so that a log with another
  /// entry in this place is a fork: it is published, or it counted while the vault had no remote.
  package func settledLogLength() throws(StoreError) -> UInt64 {
    let kept: UInt64 = try value(.keptLogLength) ?? 0
    return try max(publishedLogLength(), min(kept, logLength()))
  }

  /// Returns whether the log has entries that give way to another machine's.
  package func hasDrafts() throws(StoreError) -> Bool { try settledLogLength() < logLength() }

  /// Returns the log entries that are not published, in ascending order.
  package func unpublishedLogEntries() throws(StoreError) -> [StoredLogEntry] {
    try logEntries("published IS NULL", [])
  }

  /// Returns one log entry; nil if the log does not have it.
  package func logEntry(_ sequence: UInt64) throws(StoreError) -> StoredLogEntry? {
    guard let number = Int64(exactly: sequence) else { return nil }
    let rows = try connection.statement(
      "SELECT sequence, entry, envelope, published FROM log WHERE sequence = ?1", [.integer(number)])
    return try rows.step() ? try logEntry(rows) : nil
  }

  /// Returns the log entries after `sequence`, in ascending order.
  package func logEntries(after sequence: UInt64) throws(StoreError) -> [StoredLogEntry] {
    guard let after = Int64(exactly: sequence) else { return [] }
    return try logEntries("sequence > ?1", [.integer(after)])
  }

  /// Returns the objects of the log entries after `sequence` up to `last`, in ascending order, without their envelopes.
  package func logEntries(after sequence: UInt64, through last: UInt64) throws(StoreError) -> [[UInt8]] {
    try connection.rows(
      "SELECT entry FROM log WHERE sequence > ?1 AND sequence <= ?2 ORDER BY sequence",
      [.integer(Int64(clamping: sequence)), .integer(Int64(clamping: last))]
    ) { (row) throws(StoreError) in
      row.bytes(0)
    }
  }

  private func logEntries(_ condition: String, _ values: [SQLValue]) throws(StoreError) -> [StoredLogEntry] {
    try connection.rows(
      "SELECT sequence, entry, envelope, published FROM log WHERE \(condition) ORDER BY sequence", values
    ) { (row) throws(StoreError) in
      try logEntry(row)
    }
  }

  private func logEntry(_ rows: borrowing SQLStatement) throws(StoreError) -> StoredLogEntry {
    StoredLogEntry(
      sequence: try rows.unsigned(0, "log.sequence"), entry: rows.bytes(1), envelope: rows.bytes(2),
      published: rows.optionalBytes(3))
  }

  /// Returns the numbers of the published log entries and the identifiers of their files on the remote, which are empty
  /// if they are unknown. Reads no entry.
  package func publishedLogEntries() throws(StoreError) -> [(sequence: UInt64, file: [UInt8])] {
    try connection.rows(
      "SELECT sequence, published FROM log WHERE published IS NOT NULL ORDER BY sequence"
    ) { (row) throws(StoreError) in
      (try row.unsigned(0, "log.sequence"), row.bytes(1))
    }
  }

  /// Returns the entries of other branches of the log, in ascending order of number.
  package func competingEntries() throws(StoreError) -> [StoredLogEntry] {
    try connection.rows("SELECT sequence, entry, envelope FROM rival ORDER BY sequence, hash") {
      (row) throws(StoreError) in
      StoredLogEntry(
        sequence: try row.unsigned(0, "rival.sequence"), entry: row.bytes(1), envelope: row.bytes(2),
        published: nil)
    }
  }

  /// Returns the records in the outbox, in the order in which they were added.
  package func outboxRecords() throws(StoreError) -> [RecordHash] {
    try connection.rows("SELECT r.hash FROM outbox o CROSS JOIN record r ON r.id = o.record ORDER BY o.record") {
      (row) throws(StoreError) in RecordHash(try row.bytes32(0, "record.hash"))
    }
  }

  /// Returns the number of records in the outbox.
  package func outboxCount() throws(StoreError) -> Int {
    Int(try connection.integer("SELECT count(*) FROM outbox") ?? 0)
  }

  /// Returns the row of the newest record in the outbox; 0 if it is empty.
  package func lastOutboxRecord() throws(StoreError) -> Int64 {
    try connection.integer("SELECT max(record) FROM outbox") ?? 0
  }

  /// Returns the number of log entries that are not published.
  package func unpublishedLogEntryCount() throws(StoreError) -> Int {
    Int(try connection.integer("SELECT count(*) FROM log WHERE published IS NULL") ?? 0)
  }

  /// Returns the groups with records in the outbox, in ascending order.
  package func outboxGroups() throws(StoreError) -> [GroupID] {
    // Rows without a record are skipped: otherwise they would stay in the outbox forever.
    try connection.rows(
      """
      SELECT DISTINCT o.group_id FROM outbox o CROSS JOIN record r ON r.id = o.record
      WHERE length(o.group_id) = 16 ORDER BY o.group_id
      """
    ) { (row) throws(StoreError) in
      GroupID(try row.bytes16(0, "outbox.group_id"))
    }
  }

  /// Returns a group's records from the outbox in the order in which they were written, in the form used in segments
  /// (``Record/bytes``): as many as fit into `byteLimit` bytes, and at least one if there is any.
  package func outbox(in group: GroupID, byteLimit: Int) throws(StoreError) -> [(RecordHash, [UInt8])] {
    let rows = try connection.statement(
      """
      SELECT r.hash, r.signed, r.attributes, r.value
      FROM outbox o CROSS JOIN record r ON r.id = o.record
      WHERE o.group_id = ?1 ORDER BY o.position
      """, [.id(group.raw)])
    var records: [(RecordHash, [UInt8])] = []
    var byteCount = 0
    while try rows.step() {
      let parts = [rows.bytes(1), rows.bytes(2), rows.bytes(3)]
      let recordByteCount = parts.reduce(0) { $0 + $1.count + 4 }
      byteCount += recordByteCount
      guard records.isEmpty || byteCount <= byteLimit else { break }
      var writer = ByteWriter(reserving: recordByteCount)
      for part in parts { writer.data(part) }
      records.append((RecordHash(try rows.bytes32(0, "record.hash")), writer.bytes))
    }
    return records
  }
}

/// One consistent snapshot of the store, valid inside its closure only.
package struct StoreReader: ~Copyable, StoreAccess {
  package let connection: StoreConnection
}

/// A write transaction, valid inside its closure only. It reads its own changes.
package struct StoreWriter: ~Copyable, StoreAccess {
  package let connection: StoreConnection
}

/// An entry of the membership log in the store.
package struct StoredLogEntry: Hashable, Sendable {
  /// The number of the entry, 1 for the first after the genesis.
  package let sequence: UInt64
  /// The bytes of the signed object.
  package let entry: [UInt8]
  /// The object sealed for transport: the bytes of the file on the remote.
  package let envelope: [UInt8]
  /// The identifier of the file on the remote: nil if the remote does not have the entry, empty if it is unknown.
  package let published: [UInt8]?

  /// True if the remote has the entry.
  package var isPublished: Bool { published != nil }

  package init(sequence: UInt64, entry: [UInt8], envelope: [UInt8], published: [UInt8]?) {
    self.sequence = sequence
    self.entry = entry
    self.envelope = envelope
    self.published = published
  }
}

/// Look-ups for overviews. Based on hints.
extension StoreAccess where Self: ~Copyable {
  /// Returns the activity of every author of records that count, in ascending order. Reads every row of a record,
  /// without its value.
  package func authorActivity() throws(StoreError) -> [AuthorActivity] {
    // SQLite takes the columns that are no aggregates from the row with the maximum.
    try connection.rows(
      """
      SELECT author, count(*), max(time), group_id, tombstone FROM record
      WHERE standing <> 2 AND length(author) = 16 AND length(group_id) = 16 GROUP BY author ORDER BY author
      """
    ) { (row) throws(StoreError) in
      AuthorActivity(
        author: AuthorID(try row.bytes16(0, "record.author")), recordCount: Int(clamping: row.integer(1)),
        last: Timestamp(microseconds: row.integer(2)), group: GroupID(try row.bytes16(3, "record.group_id")),
        isDeletion: row.flag(4))
    }
  }

  /// Returns the time of the oldest record in the outbox, by this machine's clock; nil if the outbox is empty.
  package func oldestOutboxTime() throws(StoreError) -> Timestamp? {
    try connection.integer(
      "SELECT r.time FROM outbox o CROSS JOIN record r ON r.id = o.record ORDER BY r.time LIMIT 1"
    )
    .map { Timestamp(microseconds: $0) }
  }
}

/// What the rows of a store tell of an author's records. Other programs can change rows, so this is a hint.
package struct AuthorActivity: Hashable, Sendable {
  package let author: AuthorID
  /// The number of records, with deletions and superseded versions.
  package let recordCount: Int
  /// The time of the last one, by the author's clock.
  package let last: Timestamp
  /// The access group of the last one.
  package let group: GroupID
  /// Whether the last one deleted its item.
  package let isDeletion: Bool
}
