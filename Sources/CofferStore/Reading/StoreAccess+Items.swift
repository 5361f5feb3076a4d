internal import CofferCrypto
package import CofferFormat

/// Look-ups of records. Each takes the `author` whose proofs of having verified them are to come along.
extension StoreAccess where Self: ~Copyable {
  // MARK: Heads

  /// The heads of one item, tombstones included; none where the item was never written, or every row says that another
  /// covers it.
  package func heads(
    of item: ItemID, in group: GroupID, withValues: Bool = true, verifiedBy author: AuthorID? = nil
  ) throws(StoreError) -> [StoredRecord] {
    try records(
      RecordColumns.heads, [.id(group.raw), .id(item.raw)], author, withValues: withValues)
  }

  /// False where nothing was ever written for an item, as far as the rows tell.
  package func hasVersions(of item: ItemID, in group: GroupID) throws(StoreError) -> Bool {
    try connection.integer(
      "SELECT 1 FROM record WHERE group_id = ?1 AND item = ?2 LIMIT 1", [.id(group.raw), .id(item.raw)]) != nil
  }

  /// True where a record that named this one of `item` as its base is no longer to be read among the item's versions: it is
  /// pruned, gone, or under another identifier. By hints.
  package func isNamedByMissing(_ hash: RecordHash, of item: ItemID, in group: GroupID) throws(StoreError) -> Bool {
    try connection.integer(
      """
      SELECT 1 FROM edge e LEFT JOIN record r
        ON r.id = e.record AND r.group_id = ?2 AND r.item = ?3 AND (r.standing <> 3 OR length(r.signed) > 0)
      WHERE e.base = ?1 AND r.id IS NULL LIMIT 1
      """, [.hash(hash.raw), .id(group.raw), .id(item.raw)]) != nil
  }

  /// The items of which at least one head has all of `tokens`, in ascending order. Hints: match the opened attributes.
  ///
  /// `tokens` must not be empty.
  package func items(in group: GroupID, matching tokens: [Token]) throws(StoreError) -> [ItemID] {
    precondition(!tokens.isEmpty, "a look-up needs a token")
    var items: [ItemID] = []
    for match in try matches(of: tokens, in: group) {
      let rows = try connection.statement(
        "SELECT item FROM record WHERE id = ?1 AND group_id = ?2 AND head = 1", [.integer(match), .id(group.raw)])
      if try rows.step() { items.append(ItemID(try rows.bytes16(0, "record.item"))) }
    }
    guard items.count > 1 else { return items }
    return Set(items).sorted()
  }

  /// The heads of at most `limit` items of a group in ascending order, from behind `last` on, tombstones included.
  ///
  /// An item of which every row says that another covers it comes without heads: that cannot be, so look at its versions. Rows
  /// without an identifier are passed over: ``hasRowsWithoutItem(in:)`` tells of them.
  package func page(
    of group: GroupID, after last: ItemID?, limit: Int, withValues: Bool, verifiedBy author: AuthorID? = nil
  ) throws(StoreError) -> [(item: ItemID, heads: [StoredRecord])] {
    // The items by the index alone; the rows of those that are no heads are never touched.
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

  /// True where rows of a group have something in place of their item's identifier. It reads the whole index of the group.
  package func hasRowsWithoutItem(in group: GroupID) throws(StoreError) -> Bool {
    try connection.integer(
      "SELECT 1 FROM record INDEXED BY record_item WHERE group_id = ?1 AND length(item) <> 16 LIMIT 1",
      [.id(group.raw)]) != nil
  }

  /// How many items of a group have a head that is no tombstone; of one class, or of all. By hints.
  package func itemCount(in group: GroupID, of itemClass: ItemClass? = nil) throws(StoreError) -> Int {
    try itemCounts(in: group, of: itemClass).live
  }

  /// The same, and how many items, of whatever class, have more than one head: in one walk over the index.
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

  /// The items of a group that have more than one head, in ascending order. By hints.
  package func conflicts(in group: GroupID) throws(StoreError) -> [ItemID] {
    let rows = try connection.statement(
      """
      SELECT item FROM record INDEXED BY record_item
      WHERE group_id = ?1 AND head = 1 GROUP BY item HAVING count(*) > 1 ORDER BY item
      """, [.id(group.raw)])
    var items: [ItemID] = []
    while try rows.step() { items.append(ItemID(try rows.bytes16(0, "record.item"))) }
    return items
  }

  // MARK: Versions

  /// A record by its identity, with its value; nil where it is not held, or its contents are pruned.
  package func record(_ hash: RecordHash, verifiedBy author: AuthorID? = nil) throws(StoreError) -> StoredRecord? {
    try records(RecordColumns.record, [.hash(hash.raw)], author, withValues: true).first
  }

  /// True for a record that ended its item, also where its contents are pruned. By a hint.
  package func isTombstone(_ hash: RecordHash) throws(StoreError) -> Bool {
    try connection.integer("SELECT 1 FROM record WHERE hash = ?1 AND tombstone = 1", [.hash(hash.raw)]) != nil
  }

  /// Every version of an item that is held, newest time first; pending ones included, pruned ones not.
  package func versions(
    of item: ItemID, in group: GroupID, withValues: Bool = true, verifiedBy author: AuthorID? = nil
  ) throws(StoreError) -> [StoredRecord] {
    try records(RecordColumns.versions, [.id(group.raw), .id(item.raw)], author, withValues: withValues)
  }

  /// How many records wait for an entry of the log.
  package func pendingCount() throws(StoreError) -> Int {
    Int(try connection.integer("SELECT count(*) FROM record WHERE standing = 2") ?? 0)
  }

  /// How many bytes those records have.
  package func pendingByteCount() throws(StoreError) -> Int {
    Int(
      clamping: try connection.integer(
        """
        SELECT ifnull(sum(length(signed) + length(attributes) + length(value)), 0) FROM record WHERE standing = 2
        """) ?? 0)
  }

  /// The records that wait for an entry of the log, in the order in which they came, from behind row `last` on: as many as fit
  /// into `byteLimit` bytes, and at least one if there is any.
  package func pendingRecords(after last: Int64, byteLimit: Int) throws(StoreError) -> [StoredRecord] {
    let columns = RecordColumns(withValue: true)
    let rows = try connection.statement(RecordColumns.pending.sql(withValues: true), [.integer(last)])
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

  /// The groups into which records came after row `last`, and the last row there is now.
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

  /// The heads that have all of `tokens`. The walk starts at the rarest token, so that a common one (a service with
  /// thousands of accounts) costs a probe for each candidate and not a scan.
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
