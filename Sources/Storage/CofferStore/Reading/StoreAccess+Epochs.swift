internal import CofferCrypto
package import CofferFormat

/// Look-ups for epochs and their snapshots.
extension StoreAccess where Self: ~Copyable {
  /// Returns the branch of the epoch that this machine follows. Throws ``StoreError/Code/corrupt`` for a setting that
  /// no program has written.
  package func epochBranch() throws(StoreError) -> EpochBranch {
    guard let bytes = try setting(.epochBranch) else { return .first }
    guard let name = String(validating: bytes, as: UTF8.self), let branch = EpochBranch(name: name) else {
      throw .malformed("the branch of the epoch", path: connection.path)
    }
    return branch
  }

  /// Returns the size in bytes of the sealed segments that the remote has.
  package func publishedSegmentByteCount() throws(StoreError) -> Int {
    Int(
      clamping: try connection.integer(
        "SELECT ifnull(sum(length(envelope)), 0) FROM segment WHERE published IS NOT NULL") ?? 0)
  }

  /// Returns about how many bytes a snapshot has of current versions, and of superseded ones, which it has without
  /// their contents.
  package func snapshotByteCounts() throws(StoreError) -> (current: Int, superseded: Int) {
    func sum(_ query: String) throws(StoreError) -> Int { Int(clamping: try connection.integer(query) ?? 0) }
    let current = try sum(
      "SELECT ifnull(sum(length(signed) + length(attributes) + length(value) + 17), 0) FROM record WHERE head = 1")
    let superseded =
      try sum("SELECT ifnull(sum(length(signed) + 5), 0) FROM record WHERE head = 0 AND standing = 1")
      + sum("SELECT ifnull(sum(length(signed) + 5), 0) FROM skeleton")
    return (current, superseded)
  }

  /// Returns the next rows after `last` that belong to a snapshot, in the order of arrival: as many as fit into
  /// `byteLimit` bytes, and at least one if there is any. Records that stay on this machine are left out. Versions that
  /// were superseded before `time` are left out too, unless they are tombstones that are heads on the other machines.
  /// Such a tombstone is whole also if it was pruned: it has signed bytes only.
  package func snapshotSources(
    after last: Int64, supersededSince time: Timestamp, byteLimit: Int
  ) throws(StoreError) -> [SnapshotSource] {
    let rows = try connection.statement(
      """
      SELECT r.id, r.head = 1 OR \(Schema.isHeadElsewhere), r.standing,
        CASE r.standing WHEN 3 THEN s.signed ELSE r.signed END,
        CASE WHEN r.head = 1 OR r.standing = 2 THEN r.attributes ELSE x'' END,
        CASE WHEN r.head = 1 OR r.standing = 2 THEN r.value ELSE x'' END
      FROM record r LEFT JOIN skeleton s ON s.record = r.id LEFT JOIN superseded t ON t.record = r.id
      WHERE r.id > ?1 AND (r.head = 1 OR r.standing = 2 OR (r.standing = 1 AND ifnull(t.time, ?2) >= ?2)
        OR (r.standing = 3 AND s.superseded >= ?2) OR \(Schema.isHeadElsewhere))
      ORDER BY r.id
      """, [.integer(last), .integer(time.microseconds)])
    var sources: [SnapshotSource] = []
    var byteCount = 0
    while try rows.step() {
      let signed = rows.bytes(3)
      guard !Self.isDeviceLocal(signed) else { continue }
      let stored = StoredRecord(
        signedBytes: signed, sealedAttributes: rows.bytes(4), sealedValue: rows.bytes(5),
        validity: rows.integer(2) == StoredValidity.unadmitted.rawValue ? .unadmitted : .valid, row: rows.integer(0),
        verification: [])
      let source = SnapshotSource(
        row: rows.integer(0),
        entry: rows.flag(1)
          ? .head(stored) : stored.validity == .unadmitted ? .unadmitted(stored) : .superseded(signed))
      byteCount += source.byteCount
      guard sources.isEmpty || byteCount <= byteLimit else { break }
      sources.append(source)
    }
    return sources
  }

  /// Whether the record with these signed bytes stays on this machine. What is damaged is not shared either.
  private static func isDeviceLocal(_ signed: [UInt8]) -> Bool {
    ((try? RecordSkeleton(bytes: signed))?.header.isDeviceLocal) ?? true
  }

  /// Returns the hashes of the versions that are heads on the other machines, as far as this one knows, and do not wait
  /// in the outbox, in the order of arrival. Based on hints.
  package func sharedHeads() throws(StoreError) -> [RecordHash] {
    try connection.rows(
      """
      SELECT hash, signed FROM record r WHERE standing = 1 AND (head = 1 OR \(Schema.isHeadElsewhere))
        AND id NOT IN (SELECT record FROM outbox) ORDER BY id
      """
    ) { (row) throws(StoreError) in
      Self.isDeviceLocal(row.bytes(1)) ? nil : RecordHash(try row.bytes32(0, "record.hash"))
    }
  }

  /// Returns the segments up to a number of a stream that contain pending or refused records.
  package func unadmittedSegments(of stream: StreamID, through number: UInt64) throws(StoreError) -> [UInt64] {
    try connection.rows(
      """
      SELECT DISTINCT u.number FROM unadmitted u JOIN segment s ON s.stream = u.stream AND s.number = u.number
      WHERE u.stream = ?1 AND u.number <= ?2 ORDER BY u.number
      """, [.id(stream.raw), .integer(Int64(clamping: number))]
    ) { (row) throws(StoreError) in
      try row.unsigned(0, "unadmitted.number")
    }
  }

  /// Returns the places of the pending and refused records of a segment.
  package func unadmitted(in stream: StreamID, _ number: UInt64) throws(StoreError) -> [UnadmittedRecord] {
    try connection.rows(
      "SELECT \(UnadmittedRecord.columns) FROM unadmitted WHERE stream = ?1 AND number = ?2 ORDER BY hash",
      [.id(stream.raw), .integer(Int64(clamping: number))]
    ) { (row) throws(StoreError) in UnadmittedRecord(row) }
  }

  /// Returns the place of a copy of a pending or refused record that names the lowest position of the log; nil if no
  /// segment with it is known.
  package func unadmittedPlace(of copy: RecordHash) throws(StoreError) -> UnadmittedRecord? {
    let rows = try connection.statement(
      "SELECT \(UnadmittedRecord.columns) FROM unadmitted WHERE hash = ?1 ORDER BY log, stream, number LIMIT 1",
      [.hash(copy.raw)])
    return try rows.step() ? UnadmittedRecord(rows) : nil
  }
}

/// A row of `record` from which an entry of a snapshot is made.
package struct SnapshotSource: Hashable, Sendable {
  package let row: Int64
  package let entry: Entry

  package enum Entry: Hashable, Sendable {
    /// A record that counts and is a head on the other machines.
    case head(StoredRecord)
    /// The signed bytes of a superseded version.
    case superseded([UInt8])
    /// A record that does not count, in no segment of the store.
    case unadmitted(StoredRecord)
  }

  package var byteCount: Int {
    switch entry {
    case .head(let record), .unadmitted(let record):
      record.signedBytes.count + record.sealedAttributes.count + (record.sealedValue?.count ?? 0)
    case .superseded(let bytes): bytes.count
    }
  }
}
