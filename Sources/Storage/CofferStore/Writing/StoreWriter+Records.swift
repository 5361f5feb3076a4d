internal import CofferCrypto
package import CofferFormat
internal import CofferSystem

/// Heads are updated as records are added and removed: a valid record is a head if no valid record of the same item
/// names it as a base. This depends only on the set of records, so every order of arrival results in the same heads.
extension StoreWriter {
  /// Inserts a record, unless the store has it already: returns false then, and nothing has changed. With `intoOutbox`,
  /// the record must be synced to the remote. `verification` is the proof of the author who wrote it; its row is
  /// ignored. The record keeps the place in lists of `predecessor`, a version of the same item under another primary
  /// key, in another group or with another accessibility; with nil, that of its bases.
  ///
  /// An unadmitted record is never a head and never covers one. Nobody may have verified its signature, so the store
  /// keeps every copy of it that differs in any byte, and none in place of a valid record. A device-local record never
  /// enters the outbox. A version whose contents were pruned counts as present while it is superseded.
  @discardableResult
  package func insert(
    _ record: Record, validity: StoredValidity, intoOutbox: Bool, verification: RecordVerification? = nil,
    keepingPlaceOf predecessor: RecordHash? = nil
  ) throws(StoreError) -> Bool {
    let header = record.header
    guard validity == .valid else { return try addContents(of: record) }
    let row: RecordRow
    if let held = try self.row(of: record.hash) {
      guard held.validity == Schema.prunedValidity, try !isCovered(held) else { return false }
      row = try restorePruned(held, from: record)
    } else {
      row = try add(record, validity: .valid, as: record.hash, keepingPlaceOf: predecessor)
    }
    if intoOutbox && !header.isDeviceLocal { try enqueue(row) }
    if let verification {
      try setVerified(RecordVerification(row: row.id, author: verification.author, mac: verification.mac))
    }
    return true
  }

  /// Stores an author's proof that it has verified a record.
  package func setVerified(_ verification: RecordVerification) throws(StoreError) {
    try connection.run(
      "INSERT OR REPLACE INTO verified (record, author, mac) VALUES (?1, ?2, ?3)",
      [.integer(verification.row), .id(verification.author.raw), .id(verification.mac)])
  }

  /// Inserts a record whose contents were kept as a valid one, after its signature was verified, and removes the copy.
  /// A record that no segment of the store contains is sent. Returns false if the store has the record already.
  @discardableResult
  package func admit(_ record: Record, from copy: StoredRecord) throws(StoreError) -> Bool {
    let isSent = try isInSegment(copy: record.copyHash)
    // Before the removal: that of the last row counts as a change of all groups.
    let isNew = try insert(record, validity: .valid, intoOutbox: !isSent)
    try removeContents(copy)
    return isNew
  }

  /// Removes an invalid record from the store and the outbox. Versions that only it covered become heads again.
  package func remove(row number: Int64) throws(StoreError) {
    guard let row = try row(number) else { return }
    if row.validity != StoredValidity.unadmitted.rawValue { try suspend(row) }
    // A row with the same number would not be recognised as a new one.
    if try row.id == lastNumber() { try recordUnlistedChange() }
    try connection.delete(from: .outbox, where: "record = ?1", [.integer(row.id)])
    for base in row.bases {
      let edge: [SQLValue] = [.hash(base.raw), .integer(row.id)]
      let count = try connection.run("DELETE FROM edge WHERE base = ?1 AND record = ?2", edge)
      try connection.recordDeletion(count, from: .edge, edge)
    }
    try connection.run("DELETE FROM verified WHERE record = ?1", [.integer(row.id)])
    try removeSuperseded(row.id)
    try removeSkeleton(row.id)
    try connection.delete(from: .record, where: "id = ?1", [.integer(row.id)])
  }

  /// Deletes the contents of versions that were superseded before `time`, except heads, unadmitted records and
  /// records in the outbox. Their existence, their bases, and the signed bytes that prove them are kept. At most
  /// `limit` versions are pruned; their number is returned. The time is by this machine's clock. If that was slow,
  /// and a version was superseded more than a day before it was written, this counts as happening now. The
  /// same holds for a tombstone that is a head on the other machines, because it may have to be sent again.
  @discardableResult
  package func pruneHistory(supersededBefore time: Timestamp, limit: Int = 1_000) throws(StoreError) -> Int {
    var droppedCount = 0
    let found = try connection.rows(
      """
      SELECT s.record, s.time,
        (s.time + 86400000000 < r.time AND r.time <= ?3) OR \(Schema.isHeadElsewhere)
      FROM superseded s INDEXED BY superseded_time CROSS JOIN record r ON r.id = s.record
      WHERE s.time < ?1 AND r.head = 0 AND r.standing = 1
        AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.record = r.id)
      LIMIT ?2
      """, [.integer(time.microseconds), .integer(Int64(limit)), .integer(WallClock.now)]
    ) { (row) throws(StoreError) in (row.integer(0), row.integer(1), row.flag(2)) }
    for (row, time, isKept) in found {
      if isKept {
        try recordSuperseded(row)
        continue
      }
      try keepSkeleton(ofRow: row, supersededAt: time)
      try update(row, "standing = 3, tokens = x'', signed = x'', attributes = x'', value = x''")
      try connection.run("DELETE FROM verified WHERE record = ?1", [.integer(row)])
      try removeSuperseded(row)
      droppedCount += 1
    }
    return droppedCount
  }

  // MARK: Validity

  /// Whether the store has a record as a valid one, or has superseded and pruned it.
  func isHeldAsValid(_ record: Record) throws(StoreError) -> Bool {
    guard let held = try row(of: record.hash) else { return false }
    return held.validity == Schema.prunedValidity ? try isCovered(held) : true
  }

  /// Inserts the contents of a copy under the hash of all its bytes. Returns false if the store has the same bytes
  /// already, or the record as a valid one.
  private func addContents(of record: Record) throws(StoreError) -> Bool {
    guard try !isHeldAsValid(record), try row(of: record.copyHash) == nil else { return false }
    _ = try add(record, validity: .unadmitted, as: record.copyHash)
    return true
  }

  private func add(
    _ record: Record, validity: StoredValidity, as hash: RecordHash, keepingPlaceOf predecessor: RecordHash? = nil
  ) throws(StoreError) -> RecordRow {
    let header = record.header
    let next = try nextRow()
    var row = RecordRow(
      id: next, hash: hash, group: header.group, itemClass: Int64(header.itemClass.rawValue),
      isTombstone: header.isTombstone, validity: validity.rawValue, isHead: false, bases: header.bases,
      tokens: header.tokens,
      place: ListPlace(created: header.orderTime.microseconds, arrival: next, item: header.item))
    guard validity == .valid else {
      try insertRow(row, from: record)
      return row
    }
    let bases = try bases(of: row) { _ in true }
    let covered = bases.filter(\.isHead)
    row.isHead = try !isCovered(row)
    // A new version of an item keeps its place among items that were created at the same time.
    let arrival =
      try predecessor.flatMap { (hash) throws(StoreError) in try self.row(of: hash)?.place.arrival }
      ?? bases.filter { !$0.isTombstone }.map(\.place.arrival).min() ?? next
    row.place = ListPlace(created: row.place.created, arrival: arrival, item: header.item)
    try insertRow(row, from: record)
    if !row.isHead { try recordSuperseded(row.id) }
    try changeHeads(losing: covered, gaining: row.isHead ? [row] : [], isInserted: true)
    return row
  }

  /// Returns the number of the next row. Programs recognise new records by it, so no row gets the number of another
  /// one.
  func nextRow() throws(StoreError) -> Int64 { try lastNumber() + 1 }

  private func insertRow(_ row: RecordRow, from record: Record) throws(StoreError) {
    try insertRow(row, record.header, [record.signedBytes, record.sealedAttributes, record.sealedValue])
  }

  /// Inserts a row with its signed bytes, its attributes and its value.
  func insertRow(_ row: RecordRow, _ header: RecordHeader, _ contents: [[UInt8]]) throws(StoreError) {
    let summarised: [SQLValue] = [
      .integer(row.id), .hash(row.hash.raw), .id(row.group.raw), .id(row.item.raw), .integer(row.itemClass),
      .flag(row.isTombstone), .integer(header.time.microseconds), .id(header.author.raw),
      .flag(row.isHead), .integer(row.validity), .integer(row.place.created), .integer(row.place.arrival),
      .blob(row.bases.flatMap(\.raw.bytes)),
    ]
    try connection.run(
      """
      INSERT INTO record (id, hash, group_id, item, class, tombstone, time, author, head, standing, created, arrival, bases,
        tokens, signed, attributes, value)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
      """,
      summarised + [.blob(row.tokens.flatMap(\.raw.bytes))] + contents.map { .blob($0) })
    try connection.recordInsertion(into: .record, summarised)
    for base in row.bases {
      let edge: [SQLValue] = [.hash(base.raw), .integer(row.id)]
      try connection.run("INSERT INTO edge (base, record) VALUES (?1, ?2)", edge)
      try connection.recordInsertion(into: .edge, edge)
    }
  }

  /// Restores the contents of a pruned record, or replaces those of an unadmitted one. The record is unadmitted
  /// afterwards.
  private func restore(_ row: RecordRow, from record: Record) throws(StoreError) {
    try removeSkeleton(row.id)
    try update(
      row.id, "standing = 2, tokens = ?2, signed = ?3, attributes = ?4, value = ?5",
      [
        .blob(row.tokens.flatMap(\.raw.bytes)), .blob(record.signedBytes), .blob(record.sealedAttributes),
        .blob(record.sealedValue),
      ])
  }

  /// Gives a pruned version its contents again, as a valid one.
  private func restorePruned(_ held: RecordRow, from record: Record) throws(StoreError) -> RecordRow {
    let row = held.with(tokens: record.header.tokens)
    try restore(row, from: record)
    try admit(row)
    return row
  }

  /// Makes an unadmitted record valid: its bases are covered, and it becomes a head unless it is covered itself.
  private func admit(_ row: RecordRow) throws(StoreError) {
    try update(row.id, "standing = 1")
    let covered = try bases(of: row) { $0.isHead }
    let isHead = try !isCovered(row)
    if !isHead { try recordSuperseded(row.id) }
    try changeHeads(losing: covered, gaining: isHead ? [row] : [])
  }

  /// Makes a valid record unadmitted: versions that only it covered become heads again.
  private func suspend(_ row: RecordRow) throws(StoreError) {
    try update(row.id, "standing = 2")
    let uncovered = try bases(of: row) { (base) throws(StoreError) in
      guard base.validity == StoredValidity.valid.rawValue else { return false }
      return try !isCovered(base)
    }
    try changeHeads(losing: row.isHead ? [row] : [], gaining: uncovered)
  }

  /// Returns the bases of `row` that are in the store, belong to the same item and pass `filter`.
  func bases(
    of row: RecordRow, where filter: (RecordRow) throws(StoreError) -> Bool
  ) throws(StoreError) -> [RecordRow] {
    var found: [RecordRow] = []
    for hash in row.bases {
      // A base of another item is ignored. Otherwise, whoever may write one item could hide all others.
      guard let base = try self.row(of: hash), base.item == row.item, base.group == row.group,
        !found.contains(where: { $0.id == base.id })
      else { continue }
      if try filter(base) { found.append(base) }
    }
    return found
  }

  /// Returns true if a valid record of the same item, pruned or not, names `row` as a base.
  private func isCovered(_ row: RecordRow) throws(StoreError) -> Bool {
    try connection.integer(
      """
      SELECT 1 FROM edge e CROSS JOIN record r ON r.id = e.record
      WHERE e.base = ?1 AND r.standing IN (1, 3) AND r.item = ?2 AND r.group_id = ?3 LIMIT 1
      """, [.hash(row.hash.raw), .id(row.item.raw), .id(row.group.raw)]) != nil
  }

  /// Changes one row of `record`. The first assigned value is `?2`.
  func update(_ row: Int64, _ assignments: String, _ assigned: [SQLValue] = []) throws(StoreError) {
    try connection.update(.record, where: "id = ?1", [.integer(row)], set: assignments, assigned)
  }

  func row(of hash: RecordHash) throws(StoreError) -> RecordRow? {
    let rows = try connection.statement(
      "SELECT \(RecordRow.columns) FROM record WHERE hash = ?1", [.hash(hash.raw)])
    return try rows.step() ? try RecordRow(rows) : nil
  }

  func row(_ number: Int64) throws(StoreError) -> RecordRow? {
    let rows = try connection.statement("SELECT \(RecordRow.columns) FROM record WHERE id = ?1", [.integer(number)])
    return try rows.step() ? try RecordRow(rows) : nil
  }

  // MARK: Outbox

  /// Appends records that the remote has lost to the outbox. Records in the outbox keep their position. Ignores records
  /// that are not in the store, are pruned or belong to this device only.
  package func addToOutbox(_ hashes: [RecordHash]) throws(StoreError) {
    for hash in hashes {
      guard let row = try row(of: hash), let stored = try record(hash) else { continue }
      let header: RecordHeader
      do throws(FormatError) {
        header = try stored.record().header
      } catch {
        throw .malformed("a record", path: connection.path)
      }
      if !header.isDeviceLocal { try enqueue(row) }
    }
  }

  /// Appends a record of a segment that the remote has lost to the outbox, as ``addToOutbox(_:)`` does. A superseded
  /// version whose contents were pruned gets them again, because other machines may still need this version: without
  /// it, the versions that it has replaced would be current there.
  package func resend(_ record: Record) throws(StoreError) {
    if let held = try row(of: record.hash), held.validity == Schema.prunedValidity,
      try isSkeleton(record.signedBytes, of: held.id)
    {
      _ = try restorePruned(held, from: record)
    }
    try addToOutbox([record.hash])
  }

  private func enqueue(_ row: RecordRow) throws(StoreError) {
    let values: [SQLValue] = [.integer(row.id), .id(row.group.raw)]
    let count = try connection.run(
      "INSERT INTO outbox (record, group_id) VALUES (?1, ?2) ON CONFLICT (record) DO NOTHING", values)
    try connection.recordInsertion(count, into: .outbox, values)
  }

  /// Removes records from the outbox. Ignores records that are not in it.
  package func removeFromOutbox(_ hashes: [RecordHash]) throws(StoreError) {
    for hash in hashes {
      // One statement, and not one before and after it: an import can leave a hundred thousand records.
      let removed = try connection.statement(
        """
        DELETE FROM outbox WHERE record = (SELECT id FROM record WHERE hash = ?1) RETURNING record, group_id
        """, [.hash(hash.raw)])
      while try removed.step() {
        try connection.recordDeletion(1, from: .outbox, [.integer(removed.integer(0)), .blob(removed.bytes(1))])
      }
    }
  }
}

/// The columns of a record from which heads are determined. They are hints, so that a write need not parse signed
/// bytes.
struct RecordRow {
  var id: Int64
  let hash: RecordHash
  let group: GroupID
  let itemClass: Int64
  let isTombstone: Bool
  let validity: Int64
  var isHead: Bool
  let bases: [RecordHash]
  let tokens: [Token]
  var place: ListPlace

  static let columns = "id, hash, group_id, item, class, tombstone, standing, head, bases, tokens, created, arrival"
}

extension RecordRow {
  var item: ItemID { place.item }

  /// The values of a row of `token`.
  func values(of token: Token) -> [SQLValue] {
    [
      .id(group.raw), .id(token.raw), .integer(place.created), .integer(place.arrival), .id(item.raw), .integer(id),
    ]
  }

  /// Reads the current row of a statement over ``columns``.
  init(_ rows: borrowing SQLStatement) throws(StoreError) {
    id = rows.integer(0)
    hash = RecordHash(try rows.bytes32(1, "record.hash"))
    group = GroupID(try rows.bytes16(2, "record.group_id"))
    let item = ItemID(try rows.bytes16(3, "record.item"))
    itemClass = rows.integer(4)
    isTombstone = rows.flag(5)
    validity = rows.integer(6)
    isHead = rows.flag(7)
    bases = Self.split(rows.bytes(8), Bytes32.count) { Bytes32($0).map(RecordHash.init) }
    tokens = Self.split(rows.bytes(9), Bytes16.count) { Bytes16($0).map(Token.init) }
    place = ListPlace(created: rows.integer(10), arrival: rows.integer(11), item: item)
  }

  /// Returns the same row as a non-head, with the tokens of the record's signed bytes.
  func with(tokens: [Token]) -> RecordRow {
    RecordRow(
      id: id, hash: hash, group: group, itemClass: itemClass, isTombstone: isTombstone, validity: validity,
      isHead: false, bases: bases, tokens: tokens, place: place)
  }

  /// Splits concatenated elements. An incomplete last one is ignored: a truncated hint must not prevent the write that
  /// repairs its item. Remaining edges and tokens of non-heads are ignored by all look-ups.
  private static func split<Element>(
    _ bytes: [UInt8], _ byteCount: Int, _ make: (ArraySlice<UInt8>) -> Element?
  ) -> [Element] {
    stride(from: 0, to: bytes.count, by: byteCount).compactMap {
      make(bytes[$0..<min($0 + byteCount, bytes.count)])
    }
  }
}
