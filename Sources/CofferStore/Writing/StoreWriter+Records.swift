internal import CofferCrypto
package import CofferFormat

/// Heads are kept while records come and go: a valid record is a head where no valid record of the same item names
/// it. That depends on the set of records only, so any order of arrival ends at the same heads.
extension StoreWriter {
  /// Stores a record; false where it is held already, and nothing changes then.
  ///
  /// A pending record is no head and covers none. A record of this device only never enters the outbox. A version
  /// whose contents were pruned counts as held for as long as it is superseded.
  ///
  /// `verification` is the proof of the author who wrote it, whose row need not be given.
  @discardableResult
  package func insert(
    _ record: Record, standing: Standing, intoOutbox: Bool, verification: RecordVerification? = nil
  ) throws(StoreError) -> Bool {
    let header = record.header
    let row: RecordRow
    if let held = try self.row(of: record.hash) {
      guard held.standing == Schema.prunedStanding else { return false }
      guard try !isCovered(held) else { return false }
      row = held.with(tokens: header.tokens)
      try restore(row, from: record)
      if standing == .valid { try admit(row) }
    } else {
      row = try add(record, standing: standing)
    }
    if intoOutbox && !header.isDeviceLocal { try enqueue(row) }
    if let verification {
      try setVerified(RecordVerification(row: row.id, author: verification.author, mac: verification.mac))
    }
    return true
  }

  /// Keeps an author's proof that it has verified a record.
  package func setVerified(_ verification: RecordVerification) throws(StoreError) {
    try connection.run(
      "INSERT OR REPLACE INTO verified (record, author, mac) VALUES (?1, ?2, ?3)",
      [.integer(verification.row), .id(verification.author.raw), .id(verification.mac)])
  }

  /// Says what the log now thinks of a held record; one that is not held is passed over. Heads follow.
  package func setStanding(_ hash: RecordHash, _ standing: Standing) throws(StoreError) {
    guard let row = try row(of: hash) else { return }
    switch standing {
    case .valid where row.standing == Standing.pending.rawValue: try admit(row)
    case .pending where row.standing == Standing.valid.rawValue: try suspend(row)
    default: return
    }
  }

  /// Takes a refused record out of the store and the outbox. What it alone covered is a head again.
  package func remove(_ hash: RecordHash) throws(StoreError) {
    guard let row = try row(of: hash) else { return }
    if row.standing != Standing.pending.rawValue { try suspend(row) }
    try connection.run("DELETE FROM outbox WHERE record = ?1", [.integer(row.id)])
    for base in row.bases {
      try connection.run("DELETE FROM edge WHERE base = ?1 AND record = ?2", [.hash(base.raw), .integer(row.id)])
    }
    try connection.run("DELETE FROM verified WHERE record = ?1", [.integer(row.id)])
    try connection.run("DELETE FROM superseded WHERE record = ?1", [.integer(row.id)])
    try connection.run("DELETE FROM record WHERE id = ?1", [.integer(row.id)])
  }

  /// Drops the contents of versions that were superseded before `time`, at most `limit` of them; never of heads, pending
  /// records or what waits in the outbox. That they were there, and what they covered, stays known.
  ///
  /// - Returns: How many were dropped.
  @discardableResult
  package func pruneHistory(supersededBefore time: Timestamp, limit: Int = 1_000) throws(StoreError) -> Int {
    let rows = try connection.statement(
      """
      SELECT s.record FROM superseded s INDEXED BY superseded_time CROSS JOIN record r ON r.id = s.record
      WHERE s.time < ?1 AND r.head = 0 AND r.standing = 1
        AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.record = r.id)
      LIMIT ?2
      """, [.integer(time.microseconds), .integer(Int64(limit))])
    var dropped: [Int64] = []
    while try rows.step() { dropped.append(rows.integer(0)) }
    for row in dropped {
      try connection.run(
        "UPDATE record SET standing = 3, tokens = x'', signed = x'', attributes = x'', value = x'' WHERE id = ?1",
        [.integer(row)])
      try connection.run("DELETE FROM verified WHERE record = ?1", [.integer(row)])
      try connection.run("DELETE FROM superseded WHERE record = ?1", [.integer(row)])
    }
    return dropped.count
  }

  // MARK: Standing

  private func add(_ record: Record, standing: Standing) throws(StoreError) -> RecordRow {
    let header = record.header
    var row = RecordRow(
      id: 0, hash: record.hash, group: header.group, item: header.item, standing: standing.rawValue, isHead: false,
      bases: header.bases, tokens: header.tokens)
    guard standing == .valid else {
      try insertRow(&row, from: record)
      return row
    }
    let covered = try bases(of: row) { $0.isHead }
    row.isHead = try !isCovered(row)
    try insertRow(&row, from: record)
    if !row.isHead { try noteSuperseded(row) }
    try changeHeads(losing: covered, gaining: row.isHead ? [row] : [])
    return row
  }

  private func insertRow(_ row: inout RecordRow, from record: Record) throws(StoreError) {
    try connection.run(
      """
      INSERT INTO record (hash, group_id, item, class, tombstone, time, author, head, standing, bases, tokens, signed,
        attributes, value)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
      """,
      [
        .hash(row.hash.raw), .id(row.group.raw), .id(row.item.raw),
        .integer(Int64(record.header.itemClass.rawValue)), .flag(record.header.isTombstone),
        .integer(record.header.time.microseconds), .id(record.header.author.raw), .flag(row.isHead),
        .integer(row.standing), .blob(row.bases.flatMap(\.raw.bytes)), .blob(row.tokens.flatMap(\.raw.bytes)),
        .blob(record.signedBytes), .blob(record.sealedAttributes), .blob(record.sealedValue),
      ])
    row.id = connection.lastInsertedRow
    for base in row.bases {
      try connection.run("INSERT INTO edge (base, record) VALUES (?1, ?2)", [.hash(base.raw), .integer(row.id)])
    }
  }

  /// Gives a pruned record its contents back, as a pending one.
  private func restore(_ row: RecordRow, from record: Record) throws(StoreError) {
    try connection.run(
      "UPDATE record SET standing = 2, tokens = ?2, signed = ?3, attributes = ?4, value = ?5 WHERE id = ?1",
      [
        .integer(row.id), .blob(row.tokens.flatMap(\.raw.bytes)), .blob(record.signedBytes),
        .blob(record.sealedAttributes), .blob(record.sealedValue),
      ])
  }

  /// Makes a pending record count: what it names is covered, and it is a head unless covered itself.
  private func admit(_ row: RecordRow) throws(StoreError) {
    try connection.run("UPDATE record SET standing = 1 WHERE id = ?1", [.integer(row.id)])
    let covered = try bases(of: row) { $0.isHead }
    let isHead = try !isCovered(row)
    if !isHead { try noteSuperseded(row) }
    try changeHeads(losing: covered, gaining: isHead ? [row] : [])
  }

  /// Makes a record count no longer: what it alone covered is a head again.
  private func suspend(_ row: RecordRow) throws(StoreError) {
    try connection.run("UPDATE record SET standing = 2 WHERE id = ?1", [.integer(row.id)])
    let uncovered = try bases(of: row) { (base) throws(StoreError) in
      guard base.standing == Standing.valid.rawValue else { return false }
      return try !isCovered(base)
    }
    try changeHeads(losing: row.isHead ? [row] : [], gaining: uncovered)
  }

  /// The held records of the same item that `row` names and that pass `filter`.
  private func bases(
    of row: RecordRow, where filter: (RecordRow) throws(StoreError) -> Bool
  ) throws(StoreError) -> [RecordRow] {
    var found: [RecordRow] = []
    for hash in row.bases {
      // A base of another item says nothing: else whoever may write one item could hide every other.
      guard let base = try self.row(of: hash), base.item == row.item, base.group == row.group else { continue }
      if try filter(base) { found.append(base) }
    }
    return found
  }

  /// True where a valid record of the same item, pruned or not, names `row`.
  private func isCovered(_ row: RecordRow) throws(StoreError) -> Bool {
    try connection.integer(
      """
      SELECT 1 FROM edge e CROSS JOIN record r ON r.id = e.record
      WHERE e.base = ?1 AND r.standing IN (1, 3) AND r.item = ?2 AND r.group_id = ?3 LIMIT 1
      """, [.hash(row.hash.raw), .id(row.item.raw), .id(row.group.raw)]) != nil
  }

  // MARK: Heads and their tokens

  /// Moves the head marks of one item, and the tokens that follow them.
  private func changeHeads(losing: [RecordRow], gaining: [RecordRow]) throws(StoreError) {
    for row in losing {
      try connection.run("UPDATE record SET head = 0 WHERE id = ?1", [.integer(row.id)])
      try noteSuperseded(row)
      for token in row.tokens {
        try connection.run(
          "DELETE FROM token WHERE group_id = ?1 AND token = ?2 AND record = ?3",
          [.id(row.group.raw), .id(token.raw), .integer(row.id)])
      }
    }
    for row in gaining {
      if !row.isHead {
        try connection.run("UPDATE record SET head = 1 WHERE id = ?1", [.integer(row.id)])
        try connection.run("DELETE FROM superseded WHERE record = ?1", [.integer(row.id)])
      }
      for token in row.tokens {
        try connection.run(
          "INSERT OR REPLACE INTO token (group_id, token, record) VALUES (?1, ?2, ?3)",
          [.id(row.group.raw), .id(token.raw), .integer(row.id)])
      }
    }
  }

  private func noteSuperseded(_ row: RecordRow) throws(StoreError) {
    try connection.run(
      "INSERT OR REPLACE INTO superseded (record, time) VALUES (?1, \(StoreConnection.now))", [.integer(row.id)])
  }

  private func row(of hash: RecordHash) throws(StoreError) -> RecordRow? {
    let rows = try connection.statement(
      "SELECT \(RecordRow.columns) FROM record WHERE hash = ?1", [.hash(hash.raw)])
    return try rows.step() ? try RecordRow(rows) : nil
  }

  // MARK: Outbox

  /// Puts held records at the outbox's end, for what the remote has lost; those that wait already stay where they are.
  /// Records that are not held, are pruned or belong to this device only are passed over.
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

  private func enqueue(_ row: RecordRow) throws(StoreError) {
    try connection.run(
      "INSERT INTO outbox (record, group_id) VALUES (?1, ?2) ON CONFLICT (record) DO NOTHING",
      [.integer(row.id), .id(row.group.raw)])
  }

  /// Takes records out of the outbox; those that are not in it are passed over.
  package func removeFromOutbox(_ hashes: [RecordHash]) throws(StoreError) {
    for hash in hashes {
      try connection.run(
        "DELETE FROM outbox WHERE record = (SELECT id FROM record WHERE hash = ?1)", [.hash(hash.raw)])
    }
  }
}
