internal import CofferCrypto
package import CofferFormat

/// The place of a pending or refused record, and what decides whether it counts. Its contents stay in the segment.
///
/// A record that several segments contain has a row for each of them. The lowest position of the log that one of them
/// names applies: it depends on the set of segments only, and a copy in a later segment cannot make the record pending
/// again.
package struct UnadmittedRecord: Hashable, Sendable {
  /// The hash of all bytes of the record, see ``CofferFormat/Record/copyHash``.
  package let hash: RecordHash
  package let stream: StreamID
  package let number: UInt64
  /// The machine that signed the segment.
  package let device: DeviceID
  /// The last entry of the log that the segment names.
  package let log: UInt64
  /// The author that the record names.
  package let author: AuthorID
  package let group: GroupID
  package let generation: UInt32
  /// Whether the log contains the author, who has signed the record.
  package let isAuthentic: Bool

  /// The columns of the row.
  static let columns = "stream, number, hash, device, log, author, group_id, generation, authentic"

  /// The row that a statement inserts.
  static let row = "unadmitted (\(columns)) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"

  /// The values of the row, in the order of the columns.
  var values: [SQLValue] {
    [
      .id(stream.raw), .integer(Int64(clamping: number)), .hash(hash.raw), .id(device.raw),
      .integer(Int64(clamping: log)), .id(author.raw), .id(group.raw), .integer(Int64(generation)), .flag(isAuthentic),
    ]
  }
}

extension UnadmittedRecord {
  /// Creates the row of a record in a segment that contains it. `isAuthentic` is whether the log contains the author,
  /// who has signed the record, and `isClaim` whether the position of the log that the segment names counts.
  package init(_ record: Record, in segment: Segment, isAuthentic: Bool, isClaim: Bool = true) {
    let origin = SnapshotEntry.Origin(
      device: segment.device, stream: segment.stream, number: segment.number, log: isClaim ? segment.log.sequence : 0)
    self.init(record, at: origin, isAuthentic: isAuthentic)
  }

  /// Creates the row of a record of a snapshot, from the segment in which it was. `isAuthentic` is whether the log
  /// contains the author, who has signed the record.
  package init(_ record: Record, at origin: SnapshotEntry.Origin, isAuthentic: Bool) {
    hash = record.copyHash
    stream = origin.stream
    number = origin.number
    device = origin.device
    log = origin.log
    author = record.header.author
    group = record.header.group
    generation = record.header.generation
    self.isAuthentic = isAuthentic
  }
}

extension Record {
  /// The hash of the signed part and the signature, by which the store distinguishes copies with different signatures.
  /// The record's own hash leaves out the signature; both cover the sealed parts by their hashes.
  package var copyHash: RecordHash { RecordHash(Hash.digest(signedBytes, domain: .pendingRecord)) }
}

extension UnadmittedRecord {
  /// Reads the current row of a statement over ``columns``. Nil for values of another type or size.
  init?(_ rows: borrowing SQLStatement) {
    guard let stream = Bytes16(rows.bytes(0)), let number = UInt64(exactly: rows.integer(1)),
      let hash = Bytes32(rows.bytes(2)), let device = Bytes16(rows.bytes(3)),
      let log = UInt64(exactly: rows.integer(4)), let author = Bytes16(rows.bytes(5)),
      let group = Bytes16(rows.bytes(6)), let generation = UInt32(exactly: rows.integer(7))
    else { return nil }
    self.init(
      hash: RecordHash(hash), stream: StreamID(stream), number: number, device: DeviceID(device), log: log,
      author: AuthorID(author), group: GroupID(group), generation: generation, isAuthentic: rows.flag(8))
  }
}

/// Pending and refused records. A segment of the store keeps their contents, and the table `unadmitted` only their
/// hashes, so their number never stops a stream. Records in no segment of the store have a row of `record`.
extension StoreWriter {
  /// Records that a segment of the store contains a record that the log does not permit. Contents that were kept before
  /// the segment arrived are deleted. Returns false if the store knew the record already, as a valid one or as one that
  /// is not.
  @discardableResult
  package func insertUnadmitted(_ record: Record, _ row: UnadmittedRecord) throws(StoreError) -> Bool {
    guard try !isHeldAsValid(record) else { return false }
    var isNew = try !hasUnadmitted(row.hash)
    if try removeContents(of: record) {
      isNew = false
      try removeUnadmitted(row.hash)
    }
    try upsert(row)
    return isNew
  }

  /// Keeps the contents of a record that the log does not permit, and that is in no segment of the store. `row` is its
  /// place in a segment that does not follow the one before it; nil if no segment with it is known. Returns false if
  /// the store knew the record already.
  @discardableResult
  package func insertContents(of record: Record, _ row: UnadmittedRecord?) throws(StoreError) -> Bool {
    // A segment of the store has them, if only this row is there.
    let hasContents = try self.row(of: record.copyHash) != nil
    if !hasContents, try hasUnadmitted(record.copyHash) { return false }
    let isNew = try insert(record, validity: .unadmitted, intoOutbox: false)
    if let row, isNew || hasContents { try upsert(row) }
    return isNew
  }

  /// Takes a record out of the items that the log does not permit, or not any more. Versions that only it covered
  /// become heads again. `row` is its place in a segment of the store.
  package func suspend(_ record: Record, _ row: UnadmittedRecord) throws(StoreError) {
    if let held = try self.row(of: record.hash) { try remove(row: held.id) }
    try insertUnadmitted(record, row)
  }

  /// Removes the rows of a segment, whose records are evaluated again or withdrawn, and returns the hashes of their
  /// bytes.
  @discardableResult
  package func removeUnadmitted(in stream: StreamID, _ number: UInt64) throws(StoreError) -> Set<RecordHash> {
    let place: [SQLValue] = [.id(stream.raw), .integer(Int64(clamping: number))]
    let hashes = try connection.hashes("SELECT hash FROM unadmitted WHERE stream = ?1 AND number = ?2", place)
    if !hashes.isEmpty {
      try connection.delete(from: .unadmitted, where: "stream = ?1 AND number = ?2", place)
    }
    return hashes
  }

  /// Removes the contents of a record and its places, after its signature was found invalid. Does nothing if the row
  /// has become a valid record.
  package func removeContents(_ stored: StoredRecord) throws(StoreError) {
    guard let row = try row(stored.row), row.validity == StoredValidity.unadmitted.rawValue else { return }
    try remove(row: row.id)
    try removeUnadmitted(row.hash)
  }

  /// Deletes the kept contents of a copy of a record that is in no segment of the store, and its places, by its
  /// ``Record/copyHash``. Returns false if the store keeps no such contents.
  package func discardContents(_ copy: RecordHash) throws(StoreError) -> Bool {
    guard let row = try row(of: copy), row.validity == StoredValidity.unadmitted.rawValue else { return false }
    try remove(row: row.id)
    try removeUnadmitted(copy)
    return true
  }

  private func removeUnadmitted(_ hash: RecordHash) throws(StoreError) {
    try connection.delete(from: .unadmitted, where: "hash = ?1", [.hash(hash.raw)])
  }

  /// Deletes the kept contents of a record. Returns false if there are none.
  private func removeContents(of record: Record) throws(StoreError) -> Bool {
    guard let copy = try row(of: record.copyHash) else { return false }
    try remove(row: copy.id)
    return true
  }

  private func upsert(_ row: UnadmittedRecord) throws(StoreError) {
    let key = Array(row.values.prefix(3))
    try connection.changing(.unadmitted, where: "stream = ?1 AND number = ?2 AND hash = ?3", key) {
      () throws(StoreError) in
      try connection.run("INSERT OR REPLACE INTO \(UnadmittedRecord.row)", row.values)
    }
  }
}

extension StoreWriter {
  /// Does what ``suspend(_:_:)`` does for a record that is in no segment of the store. Its contents are kept, unless
  /// they were deleted.
  package func suspend(_ hash: RecordHash) throws(StoreError) {
    guard let row = try row(of: hash) else { return }
    let record = try record(hash).flatMap { try? $0.record() }
    try remove(row: row.id)
    if let record { try insertContents(of: record, nil) }
  }

  /// Returns the versions that a version supersedes, also if its contents were deleted.
  package func bases(of hash: RecordHash) throws(StoreError) -> [RecordHash] { try row(of: hash)?.bases ?? [] }
}
