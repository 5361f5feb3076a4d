internal import CofferCrypto
package import CofferFormat

extension StoreAccess where Self: ~Copyable {
  // MARK: Heads

  /// The heads of one item with their values, tombstones included; none where the item was never written.
  package func heads(of item: ItemID, in group: GroupID) throws(StoreError) -> [StoredRecord] {
    try heads(of: item, in: group, withValues: true)
  }

  /// All heads of the items of which at least one head has all of `tokens`; tombstones included.
  ///
  /// `tokens` must not be empty. An item and its heads are found by hints: match the opened attributes.
  package func heads(
    in group: GroupID, matching tokens: [Token], withValues: Bool
  ) throws(StoreError) -> [ItemID: [StoredRecord]] {
    precondition(!tokens.isEmpty, "a look-up needs a token")
    var items: [ItemID: [StoredRecord]] = [:]
    for match in try matches(of: tokens, in: group) {
      let rows = try connection.statement(
        withValues
          ? "SELECT item, signed, attributes, standing, value FROM record WHERE id = ?1 AND group_id = ?2 AND head = 1"
          : "SELECT item, signed, attributes, standing FROM record WHERE id = ?1 AND group_id = ?2 AND head = 1",
        [.integer(match.record), .id(group.raw)])
      guard try rows.step() else { continue }
      let item = ItemID(try rows.bytes16(0, "record.item"))
      if !match.isShared {
        items[item, default: []].append(try record(rows, from: 1, withValue: withValues))
      } else if items[item] == nil {
        items[item] = try heads(of: item, in: group, withValues: withValues)
      }
    }
    return items
  }

  /// Calls `body` with all heads of each item of a group, tombstones included, in ascending order of item.
  ///
  /// `body` may read; what it writes to the group's records may or may not be seen by the iteration.
  package func forEachItem(
    in group: GroupID, withValues: Bool, _ body: (ItemID, [StoredRecord]) throws -> Void
  ) throws {
    let rows = try connection.freshStatement(
      """
      SELECT item, signed, attributes, standing\(withValues ? ", value" : "")
      FROM record INDEXED BY record_item WHERE group_id = ?1 AND head = 1 ORDER BY item
      """, [.id(group.raw)])
    var current: ItemID?
    var heads: [StoredRecord] = []
    while try rows.step() {
      let item = ItemID(try rows.bytes16(0, "record.item"))
      if let current, current != item {
        try body(current, heads)
        heads = []
      }
      current = item
      heads.append(try record(rows, from: 1, withValue: withValues))
    }
    if let current { try body(current, heads) }
  }

  /// How many items of a group have a head that is no tombstone. By hints.
  package func itemCount(in group: GroupID) throws(StoreError) -> Int {
    Int(
      try connection.integer(
        """
        SELECT count(DISTINCT item) FROM record INDEXED BY record_item
        WHERE group_id = ?1 AND head = 1 AND tombstone = 0
        """, [.id(group.raw)]) ?? 0)
  }

  /// How many items of a group have more than one head. By hints.
  package func conflictCount(in group: GroupID) throws(StoreError) -> Int {
    Int(
      try connection.integer(
        """
        SELECT count(*) FROM (
          SELECT 1 FROM record INDEXED BY record_item
          WHERE group_id = ?1 AND head = 1 GROUP BY item HAVING count(*) > 1)
        """, [.id(group.raw)]) ?? 0)
  }

  // MARK: Versions

  /// A record by its identity, with its value; nil where it is not held, or its contents are pruned.
  package func record(_ hash: RecordHash) throws(StoreError) -> StoredRecord? {
    let rows = try connection.statement(
      "SELECT signed, attributes, standing, value FROM record WHERE hash = ?1 AND standing <> 3", [.hash(hash.raw)])
    return try rows.step() ? try record(rows, from: 0, withValue: true) : nil
  }

  /// Every version of an item that is held, newest time first; pending ones included, pruned ones not.
  package func versions(of item: ItemID, in group: GroupID) throws(StoreError) -> [StoredRecord] {
    let rows = try connection.statement(
      """
      SELECT signed, attributes, standing, value FROM record
      WHERE group_id = ?1 AND item = ?2 AND standing <> 3 ORDER BY time DESC, hash DESC
      """, [.id(group.raw), .id(item.raw)])
    return try all(rows)
  }

  /// The records whose authors are not known yet, in the order in which they came.
  package func pendingRecords() throws(StoreError) -> [StoredRecord] {
    let rows = try connection.statement(
      "SELECT signed, attributes, standing, value FROM record WHERE standing = 2 ORDER BY id")
    return try all(rows)
  }

  // MARK: Rows

  private func heads(
    of item: ItemID, in group: GroupID, withValues: Bool
  ) throws(StoreError) -> [StoredRecord] {
    let rows = try connection.statement(
      withValues
        ? "SELECT signed, attributes, standing, value FROM record WHERE group_id = ?1 AND item = ?2 AND head = 1"
        : "SELECT signed, attributes, standing FROM record WHERE group_id = ?1 AND item = ?2 AND head = 1",
      [.id(group.raw), .id(item.raw)])
    var records: [StoredRecord] = []
    while try rows.step() { records.append(try record(rows, from: 0, withValue: withValues)) }
    return records
  }

  /// The heads that have all of `tokens`. The walk starts at the rarest token, so that a common one (a service with
  /// thousands of accounts) costs a probe for each candidate and not a scan.
  private func matches(
    of tokens: [Token], in group: GroupID
  ) throws(StoreError) -> [(record: Int64, isShared: Bool)] {
    var tokens = Array(Set(tokens))
    if tokens.count > 1 {
      var counts: [Token: Int64] = [:]
      for token in tokens {
        let count = try connection.integer(
          "SELECT count(*) FROM (SELECT 1 FROM token WHERE group_id = ?1 AND token = ?2 LIMIT 256)",
          [.id(group.raw), .id(token.raw)])
        if count == 0 { return [] }
        counts[token] = count
        if count == 1 { break }
      }
      tokens.sort { counts[$0, default: .max] < counts[$1, default: .max] }
    }
    let walk = try connection.statement(
      "SELECT record, shared FROM token WHERE group_id = ?1 AND token = ?2", [.id(group.raw), .id(tokens[0].raw)])
    var matches: [(record: Int64, isShared: Bool)] = []
    walk: while try walk.step() {
      let record = walk.integer(0)
      for token in tokens.dropFirst() {
        let isPresent = try connection.integer(
          "SELECT 1 FROM token WHERE group_id = ?1 AND token = ?2 AND record = ?3",
          [.id(group.raw), .id(token.raw), .integer(record)])
        if isPresent == nil { continue walk }
      }
      matches.append((record, walk.flag(1)))
    }
    return matches
  }

  private func all(_ rows: borrowing SQLStatement) throws(StoreError) -> [StoredRecord] {
    var records: [StoredRecord] = []
    while try rows.step() { records.append(try record(rows, from: 0, withValue: true)) }
    return records
  }

  /// A record from the columns signed, attributes, standing and, where asked for, value.
  private func record(
    _ rows: borrowing SQLStatement, from column: Int32, withValue: Bool
  ) throws(StoreError) -> StoredRecord {
    guard let standing = Standing(rawValue: rows.integer(column + 2)) else {
      throw .malformed("column record.standing", path: connection.path)
    }
    return StoredRecord(
      signedBytes: rows.bytes(column), sealedAttributes: rows.bytes(column + 1),
      sealedValue: withValue ? rows.bytes(column + 3) : nil, standing: standing)
  }
}
