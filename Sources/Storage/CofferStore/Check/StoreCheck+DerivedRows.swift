internal import CofferCrypto
internal import CofferFormat
internal import CofferSystem

/// Compares the rows that are derived from records: head marks, tokens, edges, times of supersession, the outbox.
extension StoreCheck {
  /// Returns the records that a valid record of the same item names as a base, with the latest time of such a record.
  /// With `onOtherMachines`, device-local versions cover no tombstone, because the other machines do not have them.
  func coveredRecords(onOtherMachines: Bool = false) -> [RecordHash: Int64] {
    var covered: [RecordHash: Int64] = [:]
    for fact in facts.values where fact.validity != StoredValidity.unadmitted.rawValue {
      for base in fact.bases {
        guard let row = rows[base], let held = facts[row], held.item == fact.item, held.group == fact.group else {
          continue
        }
        // The columns of a pruned version in no segment are not signed. They must not hide a current one.
        if fact.validity == Schema.prunedValidity, held.validity == StoredValidity.valid.rawValue,
          !comparedPruned.contains(fact.hash)
        {
          continue
        }
        if onOtherMachines, fact.isDeviceLocal, held.isTombstone { continue }
        covered[base] = max(covered[base] ?? held.time, fact.time)
      }
    }
    return covered
  }

  /// The tables with what follows from the facts, which SQL compares with those of the store.
  private static let temporaryTables = [
    (
      "fact",
      """
      id INTEGER PRIMARY KEY, group_id BLOB, item BLOB, class INTEGER, tombstone INTEGER, created INTEGER,
      arrival INTEGER, head INTEGER, superseded INTEGER
      """
    ), ("fact_base", "base BLOB, record INTEGER"), ("fact_token", "token BLOB, record INTEGER"),
  ]

  /// Creates the tables, or empties them: SQLite drops none while another statement is running.
  private func clearTemporaryTables() throws(StoreError) {
    for (name, columns) in Self.temporaryTables {
      try connection.run("CREATE TEMP TABLE IF NOT EXISTS \(name) (\(columns))")
      try connection.run("DELETE FROM temp.\(name)")
    }
  }

  func checkDerivedRows(_ covered: [RecordHash: Int64]) throws(StoreError) {
    try clearTemporaryTables()
    for (row, fact) in facts.sorted(by: { $0.key < $1.key }) {
      step()
      let isValid = fact.validity == StoredValidity.valid.rawValue
      let isHead = isValid && covered[fact.hash] == nil
      try checkHead(row, fact, isHead)
      var superseded = isValid ? covered[fact.hash] : nil
      if let time = superseded, restored.contains(row), time < context.historyStart.microseconds {
        try prune(row, supersededAt: time)
        superseded = nil
      }
      try connection.run(
        "INSERT INTO temp.fact VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        [
          .integer(row), .id(fact.group.raw), .id(fact.item.raw), .integer(fact.itemClass), .flag(fact.isTombstone),
          .integer(fact.place.created), .integer(fact.place.arrival), .flag(isHead),
          superseded.map { .integer(min($0, WallClock.now)) } ?? .null,
        ])
      for base in fact.bases {
        try connection.run("INSERT INTO temp.fact_base VALUES (?1, ?2)", [.hash(base.raw), .integer(row)])
      }
      if isHead { try expectTokens(ofRow: row) }
    }
    let tokens = "group_id, token, created, arrival, item, record"
    try report(
      "token",
      compare("token", tokens, with: "SELECT \(tokens) FROM temp.fact_token JOIN temp.fact ON id = record"))
    try report("edge", compare("edge", "base, record", with: "SELECT base, record FROM temp.fact_base"))
    try checkCounts()
    let time = "(SELECT superseded FROM temp.fact WHERE id = missing.record)"
    try report(
      "superseded",
      compare(
        "superseded", "record", with: "SELECT id AS record FROM temp.fact WHERE superseded IS NOT NULL",
        inserting: ("record, time", "record, \(time)")))
    try repair("DELETE FROM verified WHERE record NOT IN (SELECT id FROM record)", [])
    try clearTemporaryTables()
  }

  private func expectTokens(ofRow row: Int64) throws(StoreError) {
    let bytes = try connection.bytes("SELECT tokens FROM record WHERE id = ?1", [.integer(row)]) ?? []
    for start in stride(from: 0, to: bytes.count, by: Bytes16.count) {
      guard let token = Bytes16(bytes[start..<min(start + Bytes16.count, bytes.count)]) else { continue }
      try connection.run("INSERT INTO temp.fact_token VALUES (?1, ?2)", [.id(token), .integer(row)])
    }
  }

  private func checkHead(_ row: Int64, _ fact: Fact, _ isHead: Bool) throws(StoreError) {
    guard try connection.integer("SELECT head FROM record WHERE id = ?1", [.integer(row)]) != (isHead ? 1 : 0) else {
      return
    }
    // A row that has just been restored has no mark yet.
    if !restored.contains(row) {
      add(StoreDifference("record", "the head mark is wrong", .derived, group: fact.group, item: fact.item))
    }
    try repair("UPDATE record SET head = ?2 WHERE id = ?1", [.integer(row), .flag(isHead)])
  }

  /// Deletes the contents of a version that was restored and is older than the history: it was deleted on purpose.
  private func prune(_ row: Int64, supersededAt time: Int64) throws(StoreError) {
    facts[row]?.validity = Schema.prunedValidity
    try repair(
      """
      INSERT OR IGNORE INTO skeleton (record, superseded, signed)
      SELECT id, ?2, signed FROM record WHERE id = ?1
      """, [.integer(row), .integer(max(1, min(time, WallClock.now)))])
    try repair(
      "UPDATE record SET standing = 3, tokens = x'', signed = x'', attributes = x'', value = x'' WHERE id = ?1",
      [.integer(row)])
  }

  /// Compares a table with the rows that it should have, and makes it equal to them. Returns the numbers of rows that
  /// are missing and that should not be there. `inserting` has the columns of a new row and their values, if it has
  /// more columns than are compared.
  private func compare(
    _ table: String, _ columns: String, with expected: String, inserting: (columns: String, values: String)? = nil
  ) throws(StoreError) -> (missing: Int, surplus: Int) {
    let missing = "SELECT * FROM (\(expected)) EXCEPT SELECT \(columns) FROM \(table)"
    let surplus = "SELECT \(columns) FROM \(table) EXCEPT SELECT * FROM (\(expected))"
    let counts = (missing: try count(missing), surplus: try count(surplus))
    if counts.surplus > 0 { try repair("DELETE FROM \(table) WHERE (\(columns)) IN (\(surplus))", []) }
    if counts.missing > 0 {
      let (all, values) = inserting ?? (columns, columns)
      try repair("INSERT OR REPLACE INTO \(table) (\(all)) SELECT \(values) FROM (\(missing)) AS missing", [])
    }
    return counts
  }

  private func count(_ query: String) throws(StoreError) -> Int {
    Int(try connection.integer("SELECT count(*) FROM (\(query))") ?? 0)
  }

  private func report(_ table: String, _ counts: (missing: Int, surplus: Int)) {
    add(counts.missing, "rows are missing", in: table)
    add(counts.surplus, "rows belong to no record", in: table)
  }

  /// Compares the numbers of items and the conflicts with the heads.
  private func checkCounts() throws(StoreError) {
    let heads = "FROM temp.fact WHERE head = 1"
    let expected = "SELECT group_id, class, count(DISTINCT item) AS live \(heads) AND tombstone = 0 GROUP BY 1, 2"
    // The number of a class whose last item was deleted is 0.
    let found = "SELECT group_id, class, live FROM item_count WHERE live <> 0"
    let wrong = try count(
      """
      SELECT group_id, class FROM (SELECT * FROM (\(expected)) EXCEPT \(found))
      UNION SELECT group_id, class FROM (\(found) EXCEPT SELECT * FROM (\(expected)))
      """)
    if wrong > 0 {
      add(wrong, "numbers of items are wrong", in: "item_count")
      try repair("DELETE FROM item_count", [])
      try repair("INSERT INTO item_count (group_id, class, live) \(expected)", [])
    }
    let conflicts = "SELECT group_id, item \(heads) GROUP BY 1, 2 HAVING count(*) > 1 AND min(tombstone) = 0"
    let (missing, surplus) = try compare("conflict", "group_id, item", with: conflicts)
    add(missing + surplus, "rows are wrong", in: "conflict")
  }

  // MARK: Outbox

  /// Checks that the outbox has the valid records that are in no segment, except those that never leave this machine. A
  /// snapshot has no superseded versions, so after the first epoch only heads of the other machines count.
  func checkOutbox(_ covered: [RecordHash: Int64]) throws(StoreError) {
    let hasRemote = try reader.setting(.remoteURL) != nil
    let mayMissSegments =
      context.awaitsSegments || !cutSegments.isEmpty
      || differences.counts.keys.contains { $0.remedy == .remote && $0.table != "log" }
    isOutboxKnown = (!hasRemote || !mayMissSegments || context.isImportComplete) && context.epoch.isKnown
    let cut = Set(cutSegments)
    var held: Set<Int64> = []
    var surplus = 0
    var dangling = 0
    for position in try positions() {
      let row = try connection.statement(
        "SELECT record, group_id FROM outbox WHERE position = ?1", [.integer(position)])
      guard try row.step() else { continue }
      let record = row.integer(0)
      if let fact = facts[record], fact.validity == StoredValidity.valid.rawValue, !fact.isDeviceLocal,
        row.bytes(1) == fact.group.raw.bytes
      {
        held.insert(record)
        continue
      }
      if facts[record] == nil { dangling += 1 } else { surplus += 1 }
      try repair("DELETE FROM outbox WHERE position = ?1", [.integer(position)])
    }
    // By the summary it is known which of them were records.
    if context.recordCount != nil { (surplus, dangling) = (surplus + dangling, 0) }
    add(surplus, "rows name records that are not to be sent", in: "outbox")
    add(dangling, "versions that were not sent are missing", in: "outbox", .lost)
    for (row, fact) in facts.sorted(by: { $0.key < $1.key }) {
      guard fact.validity == StoredValidity.valid.rawValue, !fact.isDeviceLocal, !held.contains(row) else { continue }
      if context.epoch.number >= Checkpoint.firstEpoch, covered[fact.hash] != nil { continue }
      // A record of a segment that is deleted here is fetched again with the segment, or was never sent.
      let isSent: Bool? =
        switch sealed[fact.hash] {
        case .segment(let row): !cut.contains(row) || hasRemote
        case .chunk: true
        case nil: nil
        }
      guard isSent.map({ !$0 }) ?? isOutboxKnown else { continue }
      // A repair sends it all the same: nobody has signed that these chunks are the next snapshot.
      if !nextRecords.contains(fact.hash) {
        add(StoreDifference("outbox", "a version is in no segment", .derived, group: fact.group, item: fact.item))
      }
      try repair("INSERT INTO outbox (record, group_id) VALUES (?1, ?2)", [.integer(row), .id(fact.group.raw)])
    }
  }

  private func positions() throws(StoreError) -> [Int64] {
    try connection.rows("SELECT position FROM outbox ORDER BY position") { (row) throws(StoreError) in
      row.integer(0)
    }
  }
}
