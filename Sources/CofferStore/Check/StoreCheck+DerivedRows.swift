internal import CofferCrypto
internal import CofferFormat

/// Compares the rows that are derived from records: head marks, tokens, edges, times of supersession, the outbox.
extension StoreCheck {
  /// Returns the records that a valid record of the same item names as a base, with the latest time of such a record.
  func coveredRecords() -> [RecordHash: Int64] {
    var covered: [RecordHash: Int64] = [:]
    for fact in facts.values where fact.standing != Standing.unadmitted.rawValue {
      for base in fact.bases {
        guard let row = rows[base], let held = facts[row], held.item == fact.item, held.group == fact.group else {
          continue
        }
        // The columns of a pruned version in no segment are not signed. They must not hide a current one.
        if fact.standing == Schema.prunedStanding, held.standing == Standing.valid.rawValue,
          !comparedPruned.contains(fact.hash)
        {
          continue
        }
        covered[base] = max(covered[base] ?? .min, fact.time)
      }
    }
    return covered
  }

  private struct Counts {
    var missing = 0
    var found = 0
  }

  func checkDerivedRows(_ covered: [RecordHash: Int64]) throws(StoreError) {
    var heads = ExpectedHeads()
    var tokens = Counts()
    var edges = Counts()
    var superseded = Counts()
    for (row, fact) in facts.sorted(by: { $0.key < $1.key }) {
      step()
      let isHead = fact.standing == Standing.valid.rawValue && covered[fact.hash] == nil
      try checkHead(row, fact, isHead)
      if isHead {
        heads.add(fact)
        try checkTokens(of: row, fact, &tokens)
      }
      for base in fact.bases {
        try expect(
          "SELECT 1 FROM edge WHERE base = ?1 AND record = ?2", "INSERT INTO edge (base, record) VALUES (?1, ?2)",
          [.hash(base.raw), .integer(row)], &edges)
      }
      if fact.standing == Standing.valid.rawValue, let time = covered[fact.hash] {
        if restored.contains(row), time < context.historyStart.microseconds {
          try prune(row, fact, supersededAt: time)
          continue
        }
        try expect(
          "SELECT 1 FROM superseded WHERE record = ?1",
          "INSERT INTO superseded (record, time) VALUES (?1, min(?2, \(StoreConnection.now)))", [.integer(row)],
          &superseded, insertedValues: [.integer(row), .integer(time)])
      }
    }
    try report("token", tokens, surplus: try surplusTokens(tokens, covered))
    try report("edge", edges, surplus: try surplusEdges(edges))
    try checkCounts(heads)
    try report("superseded", superseded, surplus: try surplusSuperseded(superseded, covered))
    let dangling = "FROM verified WHERE record NOT IN (SELECT id FROM record)"
    let proofs = Int(try connection.integer("SELECT count(*) \(dangling)") ?? 0)
    if proofs > 0, isRepairing { try connection.run("DELETE \(dangling)") }
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
  private func prune(_ row: Int64, _ fact: Fact, supersededAt time: Int64) throws(StoreError) {
    facts[row]?.standing = Schema.prunedStanding
    try repair(
      """
      INSERT OR IGNORE INTO skeleton (record, superseded, signed)
      SELECT id, max(1, min(?2, \(StoreConnection.now))), signed FROM record WHERE id = ?1
      """, [.integer(row), .integer(time)])
    try repair(
      "UPDATE record SET standing = 3, tokens = x'', signed = x'', attributes = x'', value = x'' WHERE id = ?1",
      [.integer(row)])
  }

  private func checkTokens(of row: Int64, _ fact: Fact, _ counts: inout Counts) throws(StoreError) {
    let bytes = try connection.bytes("SELECT tokens FROM record WHERE id = ?1", [.integer(row)]) ?? []
    for start in stride(from: 0, to: bytes.count, by: Bytes16.count) {
      guard let token = Bytes16(bytes[start..<min(start + Bytes16.count, bytes.count)]) else { continue }
      try expect(
        FrequentStatement.findToken.sql, FrequentStatement.insertToken.sql,
        [
          .id(fact.group.raw), .id(token), .integer(fact.place.created), .integer(fact.place.arrival),
          .id(fact.item.raw), .integer(row),
        ], &counts)
    }
  }

  private func expect(
    _ query: String, _ insertion: String, _ values: [SQLValue], _ counts: inout Counts,
    insertedValues: [SQLValue]? = nil
  ) throws(StoreError) {
    if try connection.integer(query, values) != nil {
      counts.found += 1
      return
    }
    counts.missing += 1
    if isRepairing {
      try connection.run(insertion, insertedValues ?? values)
      counts.found += 1
    }
  }

  private func report(_ table: String, _ counts: Counts, surplus: Int) throws(StoreError) {
    if counts.missing > 0 {
      add(StoreDifference(table, "\(counts.missing) rows are missing", .derived, count: counts.missing))
    }
    if surplus > 0 { add(StoreDifference(table, "\(surplus) rows belong to no record", .derived, count: surplus)) }
  }

  // MARK: Surplus rows

  private func surplus(
    of table: String, _ counts: Counts, _ select: String, delete: String,
    isExpected: (borrowing SQLStatement) throws(StoreError) -> Bool, key: (borrowing SQLStatement) -> [SQLValue]
  ) throws(StoreError) -> Int {
    let all = Int(try connection.integer("SELECT count(*) FROM \(table)") ?? 0)
    guard all > counts.found else { return 0 }
    guard isRepairing else { return all - counts.found }
    var keys: [[SQLValue]] = []
    let rows = try connection.freshStatement(select, [])
    while try rows.step() { if try !isExpected(rows) { keys.append(key(rows)) } }
    for key in keys { try connection.run(delete, key) }
    return keys.count
  }

  private func surplusTokens(_ counts: Counts, _ covered: [RecordHash: Int64]) throws(StoreError) -> Int {
    try surplus(
      of: "token", counts, "SELECT group_id, token, created, arrival, item, record FROM token",
      delete: FrequentStatement.deleteToken.sql,
      isExpected: { (row) throws(StoreError) in
        guard let fact = facts[row.integer(5)], fact.standing == Standing.valid.rawValue, covered[fact.hash] == nil,
          row.bytes(0) == fact.group.raw.bytes, let token = Bytes16(row.bytes(1)),
          row.integer(2) == fact.place.created, row.integer(3) == fact.place.arrival,
          row.bytes(4) == fact.item.raw.bytes
        else { return false }
        let tokens =
          try connection.bytes("SELECT tokens FROM record WHERE id = ?1", [.integer(row.integer(5))]) ?? []
        return stride(from: 0, to: tokens.count, by: Bytes16.count).contains {
          tokens[$0..<min($0 + Bytes16.count, tokens.count)].elementsEqual(token.bytes)
        }
      },
      key: {
        [
          .blob($0.bytes(0)), .blob($0.bytes(1)), .integer($0.integer(2)), .integer($0.integer(3)),
          .blob($0.bytes(4)), .integer($0.integer(5)),
        ]
      })
  }

  private func surplusEdges(_ counts: Counts) throws(StoreError) -> Int {
    try surplus(
      of: "edge", counts, "SELECT base, record FROM edge", delete: "DELETE FROM edge WHERE base = ?1 AND record = ?2",
      isExpected: { (row) throws(StoreError) in
        guard let fact = facts[row.integer(1)], let base = Bytes32(row.bytes(0)) else { return false }
        return fact.bases.contains(RecordHash(base))
      }, key: { [.blob($0.bytes(0)), .integer($0.integer(1))] })
  }

  private func surplusSuperseded(_ counts: Counts, _ covered: [RecordHash: Int64]) throws(StoreError) -> Int {
    try surplus(
      of: "superseded", counts, "SELECT record FROM superseded", delete: "DELETE FROM superseded WHERE record = ?1",
      isExpected: { (row) throws(StoreError) in
        guard let fact = facts[row.integer(0)] else { return false }
        return fact.standing == Standing.valid.rawValue && covered[fact.hash] != nil
      }, key: { [.integer($0.integer(0))] })
  }

  // MARK: Outbox

  /// Checks that the outbox has the valid records that are in no segment, except those that never leave this machine. A
  /// snapshot has no superseded versions, so after the first epoch only current ones count.
  func checkOutbox(_ covered: [RecordHash: Int64]) throws(StoreError) {
    let hasRemote = try connection.integer("SELECT 1 FROM setting WHERE name = 'remote-url'") != nil
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
      if let fact = facts[record], fact.standing == Standing.valid.rawValue, !fact.isDeviceLocal,
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
    if surplus > 0 {
      add(StoreDifference("outbox", "\(surplus) rows name records that are not to be sent", .derived, count: surplus))
    }
    if dangling > 0 {
      add(StoreDifference("outbox", "\(dangling) versions that were not sent are missing", .lost, count: dangling))
    }
    for (row, fact) in facts.sorted(by: { $0.key < $1.key }) {
      guard fact.standing == Standing.valid.rawValue, !fact.isDeviceLocal, !held.contains(row) else { continue }
      if context.epoch.number >= Checkpoint.firstEpoch, covered[fact.hash] != nil { continue }
      // A record of a segment that is deleted here is fetched again with the segment, or was never sent.
      let isSent: Bool? =
        switch sealed[fact.hash] {
        case .segment(let row): !cut.contains(row) || hasRemote
        case .chunk: true
        case nil: nil
        }
      guard isSent.map({ !$0 }) ?? isOutboxKnown else { continue }
      add(StoreDifference("outbox", "a version is in no segment", .derived, group: fact.group, item: fact.item))
      try repair("INSERT INTO outbox (record, group_id) VALUES (?1, ?2)", [.integer(row), .id(fact.group.raw)])
    }
  }

  private func positions() throws(StoreError) -> [Int64] {
    let rows = try connection.statement("SELECT position FROM outbox ORDER BY position")
    var positions: [Int64] = []
    while try rows.step() { positions.append(rows.integer(0)) }
    return positions
  }
}
