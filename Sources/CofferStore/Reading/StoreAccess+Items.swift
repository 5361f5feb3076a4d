internal import CofferCrypto
package import CofferFormat

/// Look-ups of records. Each takes the author whose proofs of verification are returned with the records.
extension StoreAccess where Self: ~Copyable {
  // MARK: Heads

  /// Returns the heads of an item, including tombstones. Empty if the item was never written, or every row is marked as
  /// covered.
  package func heads(
    of item: ItemID, in group: GroupID, withValues: Bool = true, verifiedBy author: AuthorID? = nil
  ) throws(StoreError) -> [StoredRecord] {
    try records(
      RecordColumns.heads, [.id(group.raw), .id(item.raw)], author, withValues: withValues)
  }

  /// Returns the hashes in the rows that are marked as heads of an item. Based on hints.
  package func headHashes(of item: ItemID, in group: GroupID) throws(StoreError) -> [RecordHash] {
    let rows = try connection.statement(
      "SELECT hash FROM record WHERE group_id = ?1 AND item = ?2 AND head = 1 AND length(hash) = 32 ORDER BY hash",
      [.id(group.raw), .id(item.raw)])
    var hashes: [RecordHash] = []
    while try rows.step() { hashes.append(RecordHash(try rows.bytes32(0, "record.hash"))) }
    return hashes
  }

  /// Returns false if nothing was ever written for an item, according to the rows.
  package func hasVersions(of item: ItemID, in group: GroupID) throws(StoreError) -> Bool {
    try connection.integer(
      "SELECT 1 FROM record WHERE group_id = ?1 AND item = ?2 LIMIT 1", [.id(group.raw), .id(item.raw)]) != nil
  }

  /// Returns true if a record with this base is not among the versions of `item`: it was pruned or deleted, or is
  /// stored under another identifier. Based on hints.
  package func isNamedByMissing(_ hash: RecordHash, of item: ItemID, in group: GroupID) throws(StoreError) -> Bool {
    try connection.integer(
      """
      SELECT 1 FROM edge e LEFT JOIN record r
        ON r.id = e.record AND r.group_id = ?2 AND r.item = ?3 AND (r.standing <> 3 OR length(r.signed) > 0)
      WHERE e.base = ?1 AND r.id IS NULL LIMIT 1
      """, [.hash(hash.raw), .id(group.raw), .id(item.raw)]) != nil
  }

  /// Returns the items that have a head with all of `tokens`, in ascending order. The result is based on hints, so
  /// compare the opened attributes.
  ///
  /// `tokens` must not be empty.
  package func items(in group: GroupID, matching tokens: [Token]) throws(StoreError) -> [ItemID] {
    precondition(!tokens.isEmpty, "a look-up needs at least one token")
    var items: [ItemID] = []
    for match in try matches(of: tokens, in: group) {
      let rows = try connection.statement(
        "SELECT item FROM record WHERE id = ?1 AND group_id = ?2 AND head = 1", [.integer(match), .id(group.raw)])
      if try rows.step() { items.append(ItemID(try rows.bytes16(0, "record.item"))) }
    }
    guard items.count > 1 else { return items }
    return Set(items).sorted()
  }

  /// Returns the heads of at most `limit` items of a group after `last`, in ascending order of item, including
  /// tombstones.
  ///
  /// An item whose rows are all marked as covered is returned without heads. No Coffer program writes such rows, so
  /// read its versions. Rows without an identifier are skipped; ``hasRowsWithoutItem(in:)`` finds them.
  package func page(
    of group: GroupID, after last: ItemID?, limit: Int, withValues: Bool, verifiedBy author: AuthorID? = nil
  ) throws(StoreError) -> [(item: ItemID, heads: [StoredRecord])] {
    // The items are read from the index alone; rows of non-heads are not touched.
    let rows = try connection.statement(
      """
      SELECT item, max(head) FROM record INDEXED BY record_item
      WHERE group_id = ?1 AND item > ?2 AND length(item) = 16 GROUP BY item ORDER BY item LIMIT ?3
      """,
      [.id(group.raw), .blob(last?.raw.bytes ?? []), .integer(Int64(limit))])
    var items: [(ItemID, Bool)] = []
    while try rows.step() { items.append((ItemID(try rows.bytes16(0, "record.item")), rows.flag(1))) }
    var page: [(item: ItemID, heads: [StoredRecord])] = []
    page.reserveCapacity(items.count)
    for (item, hasHead) in items {
      let found =
        hasHead
        ? try heads(of: item, in: group, withValues: withValues, verifiedBy: author) : []
      page.append((item, found))
    }
    return page
  }

  /// Returns true if a group has rows without a valid item identifier. Reads the whole index of the group.
  package func hasRowsWithoutItem(in group: GroupID) throws(StoreError) -> Bool {
    try connection.integer(
      "SELECT 1 FROM record INDEXED BY record_item WHERE group_id = ?1 AND length(item) <> 16 LIMIT 1",
      [.id(group.raw)]) != nil
  }

  /// Returns the number of items of a group with a head that is not a tombstone, of one class or of all. Based on
  /// hints.
  package func itemCount(in group: GroupID, of itemClass: ItemClass? = nil) throws(StoreError) -> Int {
    try itemCounts(in: group, of: itemClass).live
  }

  /// Returns the same number, and the number of items of all classes with more than one head, in one walk over the
  /// index.
  package func itemCounts(
    in group: GroupID, of itemClass: ItemClass?
  ) throws(StoreError) -> (live: Int, conflicts: Int) {
    let rows = try connection.statement(
      """
      SELECT ifnull(sum(live), 0), ifnull(sum(heads > 1), 0) FROM (
        SELECT max(tombstone = 0 AND (?2 IS NULL OR class = ?2)) AS live, count(*) AS heads
        FROM record INDEXED BY record_item WHERE group_id = ?1 AND head = 1 GROUP BY item)
      """, [.id(group.raw), itemClass.map { .integer(Int64($0.rawValue)) } ?? .null])
    guard try rows.step() else { return (0, 0) }
    return (Int(rows.integer(0)), Int(rows.integer(1)))
  }

  /// Returns the number of items of a group that the remote has after a sync: those with a head that is not a tombstone,
  /// may leave this machine, and does not wait in the outbox. Based on hints.
  package func syncedItemCount(in group: GroupID) throws(StoreError) -> Int {
    Int(
      try connection.integer(
        """
        SELECT count(DISTINCT item) FROM record INDEXED BY record_item
        WHERE group_id = ?1 AND head = 1 AND tombstone = 0 AND substr(signed, ?2, 1) = x'00'
          AND id NOT IN (SELECT record FROM outbox)
        """, [.id(group.raw), .integer(Int64(RecordHeader.deviceLocalOffset + 1))]) ?? 0)
  }

  /// Returns the number of items of a group with more than one head, of which at least one is no tombstone. Based on
  /// hints.
  package func conflictCount(in group: GroupID) throws(StoreError) -> Int {
    Int(
      try connection.integer(
        """
        SELECT count(*) FROM (
          SELECT 1 FROM record INDEXED BY record_item
          WHERE group_id = ?1 AND head = 1 GROUP BY item HAVING count(*) > 1 AND min(tombstone) = 0)
        """, [.id(group.raw)]) ?? 0)
  }

  /// Returns the items of a group with more than one head, of which at least one is no tombstone, in ascending order.
  /// Based on hints.
  package func conflicts(in group: GroupID) throws(StoreError) -> [ItemID] {
    let rows = try connection.statement(
      """
      SELECT item FROM record INDEXED BY record_item
      WHERE group_id = ?1 AND head = 1 GROUP BY item HAVING count(*) > 1 AND min(tombstone) = 0
      ORDER BY item
      """, [.id(group.raw)])
    var items: [ItemID] = []
    while try rows.step() { items.append(ItemID(try rows.bytes16(0, "record.item"))) }
    return items
  }

  // MARK: Versions

  /// Returns a record with its value; nil if the store does not have it, or its contents are pruned.
  package func record(_ hash: RecordHash, verifiedBy author: AuthorID? = nil) throws(StoreError) -> StoredRecord? {
    try records(RecordColumns.record, [.hash(hash.raw)], author, withValues: true).first
  }

  /// Returns true for a record that deleted its item, also if its contents are pruned. Based on a hint.
  package func isTombstone(_ hash: RecordHash) throws(StoreError) -> Bool {
    try connection.integer("SELECT 1 FROM record WHERE hash = ?1 AND tombstone = 1", [.hash(hash.raw)]) != nil
  }

  /// Returns all versions of an item, newest first, including those that are not valid but not pruned ones.
  package func versions(
    of item: ItemID, in group: GroupID, withValues: Bool = true, verifiedBy author: AuthorID? = nil
  ) throws(StoreError) -> [StoredRecord] {
    try records(RecordColumns.versions, [.id(group.raw), .id(item.raw)], author, withValues: withValues)
  }

  /// Returns the first records of a statement with the columns of ``RecordColumns`` and values: as many as fit into
  /// `byteLimit` bytes, and at least one if there is any.
  func records(_ sql: String, _ values: [SQLValue], byteLimit: Int) throws(StoreError) -> [StoredRecord] {
    let columns = RecordColumns(withValue: true)
    let rows = try connection.statement(sql, values)
    try rows.bind(RecordColumns.author(nil), at: 9)
    var records: [StoredRecord] = []
    var byteCount = 0
    while try rows.step() {
      let record = columns.read(rows, from: 0)
      byteCount += record.signedBytes.count + record.sealedAttributes.count + (record.sealedValue?.count ?? 0)
      guard records.isEmpty || byteCount <= byteLimit else { break }
      records.append(record)
    }
    return records
  }

  /// Returns the groups with records after row `last`, and the last row.
  package func groupsChanged(after last: Int64) throws(StoreError) -> (groups: [GroupID], last: Int64) {
    let rows = try connection.statement("SELECT DISTINCT group_id FROM record WHERE id > ?1", [.integer(last)])
    var groups: [GroupID] = []
    while try rows.step() { groups.append(GroupID(try rows.bytes16(0, "record.group_id"))) }
    return (groups, try connection.integer("SELECT ifnull(max(id), 0) FROM record") ?? 0)
  }

  // MARK: Rows

  private func records(
    _ statements: RecordColumns.Statements, _ values: [SQLValue], _ author: AuthorID?, withValues: Bool
  ) throws(StoreError) -> [StoredRecord] {
    let columns = RecordColumns(withValue: withValues)
    let rows = try connection.statement(statements.sql(withValues: withValues), values)
    try rows.bind(RecordColumns.author(author), at: 9)
    var records: [StoredRecord] = []
    while try rows.step() { records.append(columns.read(rows, from: 0)) }
    return records
  }

  /// Returns the rows of the heads with all of `tokens`. The walk starts at the rarest token, so that a common one (a
  /// service with thousands of accounts) costs a look-up for each candidate instead of a scan.
  private func matches(of tokens: [Token], in group: GroupID) throws(StoreError) -> [Int64] {
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
      "SELECT record FROM token WHERE group_id = ?1 AND token = ?2", [.id(group.raw), .id(tokens[0].raw)])
    var matches: [Int64] = []
    walk: while try walk.step() {
      let record = walk.integer(0)
      for token in tokens.dropFirst() {
        let isPresent = try connection.integer(
          "SELECT 1 FROM token WHERE group_id = ?1 AND token = ?2 AND record = ?3",
          [.id(group.raw), .id(token.raw), .integer(record)])
        if isPresent == nil { continue walk }
      }
      matches.append(record)
    }
    return matches
  }
}
