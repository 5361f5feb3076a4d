internal import CofferCrypto
package import CofferFormat

/// What can be asked of the store inside ``Store/read(_:)`` and ``Store/write(_:)``.
package protocol StoreAccess: ~Copyable {
  var connection: StoreConnection { get }
}

/// One consistent snapshot of the store, valid inside its closure only.
package struct StoreReader: ~Copyable, StoreAccess {
  package let connection: StoreConnection
}

/// A transaction under way, valid inside its closure only. It reads what it has written.
package struct StoreWriter: ~Copyable, StoreAccess {
  package let connection: StoreConnection
}

extension StoreAccess where Self: ~Copyable {
  /// The signed genesis.
  package func genesis() throws(StoreError) -> [UInt8] {
    guard let bytes = try connection.bytes("SELECT genesis FROM vault WHERE id = 1") else {
      throw .malformed("the vault's row", path: connection.path)
    }
    return bytes
  }

  /// The sealed root keys.
  package func rootSlot() throws(StoreError) -> [UInt8] {
    guard let bytes = try connection.bytes("SELECT root_slot FROM vault WHERE id = 1") else {
      throw .malformed("the vault's row", path: connection.path)
    }
    return bytes
  }

  /// The value of a setting; nil where it is not set.
  package func setting(_ setting: Setting) throws(StoreError) -> [UInt8]? {
    try connection.bytes("SELECT value FROM setting WHERE name = ?1", [.text(setting.rawValue)])
  }

  /// The sequence of the last log entry; 0 where there is only the genesis.
  package func logLength() throws(StoreError) -> UInt64 {
    let statement = try connection.statement("SELECT ifnull(max(sequence), 0) FROM log")
    return try statement.step() ? statement.unsigned(0, "log.sequence") : 0
  }

  /// The sequence of the last log entry that the remote is known to hold; 0 for none.
  package func publishedLogLength() throws(StoreError) -> UInt64 {
    let statement = try connection.statement("SELECT ifnull(max(sequence), 0) FROM log WHERE published = 1")
    return try statement.step() ? statement.unsigned(0, "log.sequence") : 0
  }

  /// The log's entries behind `sequence`, in ascending order.
  package func logEntries(after sequence: UInt64) throws(StoreError) -> [StoredLogEntry] {
    guard let after = Int64(exactly: sequence) else { return [] }
    let rows = try connection.statement(
      "SELECT sequence, entry, envelope, published FROM log WHERE sequence > ?1 ORDER BY sequence", [.integer(after)])
    var entries: [StoredLogEntry] = []
    while try rows.step() {
      entries.append(
        StoredLogEntry(
          sequence: try rows.unsigned(0, "log.sequence"), entry: rows.bytes(1), envelope: rows.bytes(2),
          isPublished: rows.flag(3)))
    }
    return entries
  }

  /// How many records wait to be synced.
  package func outboxCount() throws(StoreError) -> Int {
    Int(try connection.integer("SELECT count(*) FROM outbox") ?? 0)
  }

  /// The groups that have records to sync, in ascending order.
  package func outboxGroups() throws(StoreError) -> [GroupID] {
    // A row that leads to no record would else be waited for for ever.
    let rows = try connection.statement(
      """
      SELECT DISTINCT o.group_id FROM outbox o CROSS JOIN record r ON r.id = o.record
      WHERE length(o.group_id) = 16 ORDER BY o.group_id
      """)
    var groups: [GroupID] = []
    while try rows.step() { groups.append(GroupID(try rows.bytes16(0, "outbox.group_id"))) }
    return groups
  }

  /// A group's records to sync in the order in which they were written, as segments carry them (``Record/bytes``):
  /// as many as fit into `byteLimit` bytes, and at least one if there is any.
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
