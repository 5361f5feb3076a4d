internal import CofferCrypto
internal import CofferFormat

/// Checks the rows of `record` against their signed bytes, and restores them from the segments.
extension StoreCheck {
  func checkRecords() throws(StoreError) {
    var last: Int64?
    while true {
      let page = try page(of: "record", after: last)
      guard let end = page.last else { break }
      for row in page {
        step()
        try checkRecord(row)
      }
      last = end
    }
    // First to values that nobody uses: two rows may have exchanged their hashes.
    for wrong in wrongHashes {
      try repair("UPDATE record SET hash = randomblob(32) WHERE id = ?1", [.integer(wrong.row)])
    }
    for wrong in wrongHashes {
      try repair("UPDATE record SET hash = ?2 WHERE id = ?1", [.integer(wrong.row), .hash(wrong.hash.raw)])
    }
  }

  private func checkRecord(_ row: Int64) throws(StoreError) {
    let columns = try connection.statement(
      """
      SELECT hash, group_id, item, class, tombstone, time, author, standing, bases, tokens, signed, attributes, value,
        created, arrival
      FROM record WHERE id = ?1
      """, [.integer(row)])
    guard try columns.step() else { return }
    let validity = columns.integer(7)
    if validity == Schema.prunedValidity, columns.bytes(10).isEmpty { return try checkPruned(row, columns) }
    let key = Bytes32(columns.bytes(0)).map { RecordHash($0) }
    let stored = try? Record(
      signedBytes: columns.bytes(10), sealedAttributes: columns.bytes(11), sealedValue: columns.bytes(12))
    let verdict = stored.map { context.verdict($0) } ?? .invalid
    let mayWait = validity == StoredValidity.unadmitted.rawValue && !context.isRevalidated
    guard let record = stored, verdict != .invalid || mayWait else {
      return try replaceDamaged(row, key, group: Bytes16(columns.bytes(1)), item: Bytes16(columns.bytes(2)))
    }
    let wanted = self.validity(of: record, verdict, stored: validity)
    let isUnadmitted = wanted == StoredValidity.unadmitted.rawValue
    if isUnadmitted, context.isRevalidated, unadmittedCopies.contains(record.copyHash) {
      let text =
        validity == wanted
        ? "the contents of a record are in a segment" : "the log does not permit a record that counts"
      add(difference(text, .derived, record))
      return try remove(row)
    }
    let rightKey = isUnadmitted ? record.copyHash : record.hash
    let isNew = isUnadmitted ? keptCopies.insert(record.copyHash).inserted : rows[record.hash] == nil
    guard isNew else {
      add(difference("a row repeats another one", .derived, record))
      return try remove(row)
    }
    let header = record.header
    // Which item came first can only be compared with the numbers of the rows.
    let kept = columns.integer(14)
    let arrival = kept >= 1 && kept <= row ? kept : row
    note(record, row, validity: wanted, arrival: arrival)
    var wrong: [String] = []
    if validity != wanted { wrong.append("standing") }
    if key != rightKey { wrong.append("hash") }
    if columns.bytes(1) != header.group.raw.bytes { wrong.append("group_id") }
    if columns.bytes(2) != header.item.raw.bytes { wrong.append("item") }
    if columns.integer(3) != Int64(header.itemClass.rawValue) { wrong.append("class") }
    if columns.integer(4) != (header.isTombstone ? 1 : 0) { wrong.append("tombstone") }
    if columns.integer(5) != header.time.microseconds { wrong.append("time") }
    if columns.bytes(6) != header.author.raw.bytes { wrong.append("author") }
    if columns.bytes(8) != header.bases.flatMap(\.raw.bytes) { wrong.append("bases") }
    if columns.bytes(9) != header.tokens.flatMap(\.raw.bytes) { wrong.append("tokens") }
    if columns.integer(13) != header.orderTime.microseconds { wrong.append("created") }
    if columns.integer(14) != arrival { wrong.append("arrival") }
    guard !wrong.isEmpty else { return }
    add(difference("the columns \(wrong.joined(separator: ", ")) are wrong", .derived, record))
    if key != rightKey { wrongHashes.append((row, rightKey)) }
    try updateColumns(of: row, to: record, validity: wanted, arrival: arrival)
  }

  /// Returns the validity that a record's row should have.
  private func validity(of record: Record, _ verdict: CheckContext.Verdict, stored: Int64) -> Int64 {
    switch verdict {
    case .valid:
      // A record that the log permits by now becomes valid at the next sync.
      stored == StoredValidity.unadmitted.rawValue && !context.isRevalidated
        ? StoredValidity.unadmitted.rawValue : StoredValidity.valid.rawValue
    case .unadmitted:
      // A record of this machine stays valid if the entry that permitted it was discarded, or is missing now.
      stored == StoredValidity.unadmitted.rawValue || (isLogComplete && sealed[record.hash] != nil)
        ? StoredValidity.unadmitted.rawValue : StoredValidity.valid.rawValue
    case .invalid: StoredValidity.unadmitted.rawValue
    }
  }

  private func note(_ record: Record, _ row: Int64, validity: Int64, arrival: Int64? = nil) {
    let header = record.header
    facts[row] = Fact(
      hash: record.hash, group: header.group, validity: validity, isDeviceLocal: header.isDeviceLocal,
      time: header.time.microseconds, itemClass: Int64(header.itemClass.rawValue), isTombstone: header.isTombstone,
      place: ListPlace(created: header.orderTime.microseconds, arrival: arrival ?? row, item: header.item),
      bases: header.bases)
    if validity != StoredValidity.unadmitted.rawValue { rows[record.hash] = row }
  }

  private func difference(_ text: String, _ remedy: StoreDifference.Remedy, _ record: Record) -> StoreDifference {
    StoreDifference("record", text, remedy, group: record.header.group, item: record.header.item)
  }

  private func checkPruned(_ row: Int64, _ columns: borrowing SQLStatement) throws(StoreError) {
    let bases = columns.bytes(8)
    guard let hash = Bytes32(columns.bytes(0)), let group = Bytes16(columns.bytes(1)),
      let item = Bytes16(columns.bytes(2)), bases.count.isMultiple(of: Bytes32.count), rows[RecordHash(hash)] == nil
    else {
      add(StoreDifference("record", "row \(row) of an old version is malformed", .lost))
      return try remove(row)
    }
    facts[row] = Fact(
      hash: RecordHash(hash), group: GroupID(group), validity: Schema.prunedValidity,
      isDeviceLocal: prunedLocalRows.contains(row), time: 0, itemClass: 0, isTombstone: false,
      place: ListPlace(created: 0, arrival: row, item: ItemID(item)),
      bases: stride(from: 0, to: bases.count, by: Bytes32.count).compactMap {
        Bytes32(bases[$0..<$0 + Bytes32.count]).map { RecordHash($0) }
      })
    rows[RecordHash(hash)] = row
  }

  /// Restores a row whose contents are damaged from the segment that holds the record, or removes it.
  private func replaceDamaged(_ row: Int64, _ key: RecordHash?, group: Bytes16?, item: Bytes16?) throws(StoreError) {
    if let key, rows[key] == nil, let record = try sealedRecord(key) {
      let verdict = context.verdict(record)
      if verdict == .valid || !isLogComplete {
        add(difference("a version is damaged", .restored, record))
        note(record, row, validity: StoredValidity.valid.rawValue)
        return try updateContents(of: row, to: record)
      }
    }
    // A copy that does not count, or one that is restored below under another number, is not lost.
    let isElsewhere = key.map { rows[$0] != nil || sealed[$0] != nil } ?? false
    add(
      StoreDifference(
        "record", "row \(row) is not a record that its author signed", isElsewhere ? .derived : .lost,
        group: group.map { GroupID($0) }, item: item.map { ItemID($0) }))
    try remove(row)
  }

  // MARK: Missing records

  /// Restores the valid records of segments that have no row.
  func restoreMissingRecords() throws(StoreError) {
    // Until they are validated again, those that the log permits by now are no loss.
    let waiting = context.isRevalidated ? [] : try connection.hashes("SELECT hash FROM unadmitted")
    let missing = sealed.keys.filter { rows[$0] == nil }.sorted {
      (sealed[$0]?.order ?? 0, $0) < (sealed[$1]?.order ?? 0, $1)
    }
    for hash in missing {
      guard let record = try sealedRecord(hash) else { continue }
      guard !keptCopies.contains(record.copyHash), !waiting.contains(record.copyHash),
        context.verdict(record) == .valid
      else { continue }
      add(difference("a version is missing", .restored, record))
      guard isRepairing else {
        restorableCount += 1
        continue
      }
      let row = try insertRow(record)
      note(record, row, validity: StoredValidity.valid.rawValue)
    }
  }

  /// Checks that each pruned record was superseded: a record without a successor is a head, and heads are not pruned.
  func checkPrunedRecords() throws(StoreError) {
    let reached = prunedAncestors()
    for (hash, row) in rows.sorted(by: { $0.value < $1.value }) {
      guard let fact = facts[row], fact.validity == Schema.prunedValidity, !reached.contains(hash) else { continue }
      if let record = try sealedRecord(hash), context.verdict(record) != .invalid {
        add(difference("a current version has no contents", .restored, record))
        note(record, row, validity: StoredValidity.valid.rawValue)
        try updateContents(of: row, to: record)
      } else {
        add(
          StoreDifference("record", "a version has no contents", .lost, group: fact.group, item: fact.item))
        facts[row] = nil
        rows[hash] = nil
        try remove(row)
      }
    }
  }

  /// Returns the pruned records that valid records follow, directly or through other pruned ones.
  private func prunedAncestors() -> Set<RecordHash> {
    var reached: Set<RecordHash> = []
    var next: [RecordHash] = []
    for fact in facts.values where fact.validity == StoredValidity.valid.rawValue { next += fact.bases }
    while let hash = next.popLast() {
      guard let row = rows[hash], let fact = facts[row], fact.validity == Schema.prunedValidity,
        reached.insert(hash).inserted
      else { continue }
      next += fact.bases
    }
    return reached
  }

  // MARK: Rows

  private func remove(_ row: Int64) throws(StoreError) {
    removedCount += 1
    try repair("DELETE FROM outbox WHERE record = ?1", [.integer(row)])
    try repair("DELETE FROM record WHERE id = ?1", [.integer(row)])
  }

  private func updateColumns(
    of row: Int64, to record: Record, validity: Int64, arrival: Int64? = nil
  ) throws(StoreError) {
    let header = record.header
    try repair(
      """
      UPDATE record SET group_id = ?2, item = ?3, class = ?4, tombstone = ?5, time = ?6, author = ?7, standing = ?8,
        bases = ?9, tokens = ?10, created = ?11, arrival = ?12 WHERE id = ?1
      """,
      [
        .integer(row), .id(header.group.raw), .id(header.item.raw), .integer(Int64(header.itemClass.rawValue)),
        .flag(header.isTombstone), .integer(header.time.microseconds), .id(header.author.raw), .integer(validity),
        .blob(header.bases.flatMap(\.raw.bytes)), .blob(header.tokens.flatMap(\.raw.bytes)),
        .integer(header.orderTime.microseconds), .integer(arrival ?? row),
      ])
  }

  private func updateContents(of row: Int64, to record: Record) throws(StoreError) {
    restored.insert(row)
    try updateColumns(of: row, to: record, validity: StoredValidity.valid.rawValue)
    try repair(
      "UPDATE record SET signed = ?2, attributes = ?3, value = ?4 WHERE id = ?1",
      [.integer(row), .blob(record.signedBytes), .blob(record.sealedAttributes), .blob(record.sealedValue)])
  }

  private func insertRow(_ record: Record) throws(StoreError) -> Int64 {
    try connection.run(
      """
      INSERT INTO record (hash, group_id, item, class, tombstone, time, author, head, standing, created, arrival, bases,
        tokens, signed, attributes, value)
      VALUES (?1, x'', x'', 0, 0, 0, x'', 0, 1, 0, 0, x'', x'', ?2, ?3, ?4)
      """,
      [
        .hash(record.hash.raw), .blob(record.signedBytes), .blob(record.sealedAttributes), .blob(record.sealedValue),
      ])
    let row = connection.lastInsertedRow
    restored.insert(row)
    try updateColumns(of: row, to: record, validity: StoredValidity.valid.rawValue)
    return row
  }
}
