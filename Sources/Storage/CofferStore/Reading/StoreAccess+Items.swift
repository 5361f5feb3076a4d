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
    try connection.rows(
      "SELECT hash FROM record WHERE group_id = ?1 AND item = ?2 AND head = 1 AND length(hash) = 32 ORDER BY hash",
      [.id(group.raw), .id(item.raw)]
    ) { (row) throws(StoreError) in
      RecordHash(try row.bytes32(0, "record.hash"))
    }
  }

  /// Returns false if nothing was ever written for an item, according to the rows.
  package func hasVersions(of item: ItemID, in group: GroupID) throws(StoreError) -> Bool {
    try connection.integer(.anyVersion, [.id(group.raw), .id(item.raw)]) != nil
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

  /// Returns the places of at most `limit` items of a class after `last`, in the order of lists. Deleted items and
  /// older versions are not read. Based on hints; rows without an identifier are skipped.
  ///
  /// With `author`, returns the head of each item that has only one, without its value and with the proof of this
  /// author: a look-up of each would take longer than reading it.
  package func places(
    in group: GroupID, of itemClass: ItemClass, after last: ListPlace?, limit: Int,
    headsVerifiedBy author: AuthorID? = nil
  ) throws(StoreError) -> [(place: ListPlace, head: StoredRecord?)] {
    let columns = RecordColumns(withValue: false)
    let rows = try connection.statement(
      author == nil ? .placesOfClass : .headsOfClass,
      [.id(group.raw), .integer(Int64(itemClass.rawValue))] + last.values + [.integer(Int64(limit))])
    if let author { try rows.bind(RecordColumns.author(author), at: 9) }
    return try connection.rows(of: rows) { (row) throws(StoreError) in
      (try place(row), author == nil || row.flag(3) ? nil : columns.read(row, from: 4))
    }
  }

  /// Returns the places of at most `limit` items after `last` that have a head with all of `tokens`, in the order of
  /// lists. The result is based on hints, so compare the opened attributes.
  ///
  /// `tokens` must not be empty.
  package func places(
    in group: GroupID, matching tokens: [Token], after last: ListPlace?, limit: Int
  ) throws(StoreError) -> [ListPlace] {
    precondition(!tokens.isEmpty, "a look-up needs at least one token")
    guard let tokens = try rarestFirst(tokens, in: group) else { return [] }
    let walk = try connection.statement(
      .placesOfToken, [.id(group.raw), .id(tokens[0].raw)] + last.values)
    var places: [ListPlace] = []
    walk: while places.count < limit, try walk.step() {
      let place = try place(walk)
      // Two heads of an item in conflict can have the token, and an altered store has tokens of older versions.
      if place == places.last { continue }
      guard try connection.integer(.head, [.integer(walk.integer(3))]) != nil else { continue }
      for token in tokens.dropFirst() {
        let isPresent = try connection.integer(
          .findToken,
          [
            .id(group.raw), .id(token.raw), .integer(place.created), .integer(place.arrival), .id(place.item.raw),
            .integer(walk.integer(3)),
          ])
        if isPresent == nil { continue walk }
      }
      places.append(place)
    }
    return places
  }

  private func place(_ rows: borrowing SQLStatement) throws(StoreError) -> ListPlace {
    ListPlace(created: rows.integer(0), arrival: rows.integer(1), item: ItemID(try rows.bytes16(2, "item")))
  }

  /// Returns the tokens, beginning with the rarest, so that a common one (a service with thousands of accounts) costs a
  /// look-up for each candidate instead of a walk. Returns nil if no head has one of them.
  private func rarestFirst(_ tokens: [Token], in group: GroupID) throws(StoreError) -> [Token]? {
    guard tokens.count > 1 else { return tokens }
    var tokens = Array(Set(tokens))
    var counts: [Token: Int64] = [:]
    for token in tokens {
      let count = try connection.integer(
        "SELECT count(*) FROM (SELECT 1 FROM token WHERE group_id = ?1 AND token = ?2 LIMIT 256)",
        [.id(group.raw), .id(token.raw)])
      if count == 0 { return nil }
      counts[token] = count
      if count == 1 { break }
    }
    tokens.sort { counts[$0, default: .max] < counts[$1, default: .max] }
    return tokens
  }

  /// Returns the heads of at most `limit` items of a group after `last`, in ascending order of item, including
  /// tombstones. `itemClass` omits the items that ``places(in:of:after:limit:)`` finds in this class. Proofs of
  /// verification by `author` are read.
  ///
  /// An item whose rows are all marked as covered is returned without heads. No Coffer program writes such rows, so
  /// read its versions. Rows without an identifier are skipped; ``hasRowsWithoutItem(in:)`` finds them.
  package func page(
    of group: GroupID, after last: ItemID?, notListedIn itemClass: ItemClass? = nil, limit: Int, withValues: Bool,
    verifiedBy author: AuthorID? = nil
  ) throws(StoreError) -> [(item: ItemID, heads: [StoredRecord])] {
    // The items are read from the index alone; rows of non-heads are not touched.
    let items = try connection.rows(
      """
      SELECT item, max(head) FROM record INDEXED BY record_item
      WHERE group_id = ?1 AND item > ?2 AND length(item) = 16
      GROUP BY item HAVING NOT max(head = 1 AND tombstone = 0 AND class IS ?4) ORDER BY item LIMIT ?3
      """,
      [
        .id(group.raw), .blob(last?.raw.bytes ?? []), .integer(Int64(limit)),
        itemClass.map { .integer(Int64($0.rawValue)) } ?? .null,
      ]
    ) { (row) throws(StoreError) in
      (ItemID(try row.bytes16(0, "record.item")), row.flag(1))
    }
    var page: [(item: ItemID, heads: [StoredRecord])] = []
    page.reserveCapacity(items.count)
    for (item, hasHead) in items {
      page.append((item, hasHead ? try heads(of: item, in: group, withValues: withValues, verifiedBy: author) : []))
    }
    return page
  }

  /// Returns true if a group has rows without a valid item identifier. Reads the whole index of the group.
  package func hasRowsWithoutItem(in group: GroupID) throws(StoreError) -> Bool {
    try connection.integer(
      "SELECT 1 FROM record INDEXED BY record_item WHERE group_id = ?1 AND length(item) <> 16 LIMIT 1",
      [.id(group.raw)]) != nil
  }

  /// Returns the number of items of a group with a head that is not a tombstone, of one class or of all. The number is
  /// kept, not counted. Based on hints.
  package func itemCount(in group: GroupID, of itemClass: ItemClass? = nil) throws(StoreError) -> Int {
    let itemClass = itemClass.map { Int64($0.rawValue) }
    let rows = try connection.statement(
      "SELECT live FROM item_count WHERE group_id = ?1 AND (?2 IS NULL OR class = ?2)",
      [.id(group.raw), itemClass.map { .integer($0) } ?? .null])
    var count = connection.itemCounts.change(in: group, of: itemClass)
    while try rows.step() { count += min(max(rows.integer(0), 0), ItemCounts.maximum) }
    return Int(max(count, 0))
  }

  /// Returns the number of items of a group that the remote has after a sync: those with a head that is not a
  /// tombstone, may leave this machine, and does not wait in the outbox. Based on hints.
  package func syncedItemCount(in group: GroupID) throws(StoreError) -> Int {
    // Few items are not at the remote, and only these are looked at.
    let others = try connection.integer(
      """
      SELECT count(*) FROM (
        SELECT item FROM record INDEXED BY record_local
        WHERE group_id = ?1 AND head = 1 AND tombstone = 0 AND \(Schema.isDeviceLocal)
        UNION
        SELECT item FROM outbox CROSS JOIN record ON record.id = outbox.record
        WHERE record.group_id = ?1 AND head = 1 AND tombstone = 0) AS held
      WHERE NOT EXISTS (
        SELECT 1 FROM record INDEXED BY record_item
        WHERE group_id = ?1 AND item = held.item AND head = 1 AND tombstone = 0 AND NOT \(Schema.isDeviceLocal)
          AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.record = record.id))
      """, [.id(group.raw)])
    return max(try itemCount(in: group) - Int(clamping: others ?? 0), 0)
  }

  /// Returns the items of a group whose winner is no tombstone, may leave this machine, and is sealed under an older
  /// generation than the given one, in ascending order. Based on hints.
  package func items(in group: GroupID, sealedBefore generation: UInt32) throws(StoreError) -> [ItemID] {
    var number = ByteWriter()
    number.u32(generation)
    return try connection.rows(
      """
      SELECT item FROM (
        SELECT item, tombstone, substr(signed, ?2, 1) AS is_local, substr(signed, ?3, 4) AS generation,
          row_number() OVER (PARTITION BY item ORDER BY time DESC, author DESC, hash DESC) AS place
        FROM record INDEXED BY record_item WHERE group_id = ?1 AND head = 1 AND length(item) = 16)
      WHERE place = 1 AND tombstone = 0 AND is_local = x'00' AND generation < ?4 ORDER BY item
      """,
      [
        .id(group.raw), .integer(Int64(RecordHeader.deviceLocalOffset + 1)),
        .integer(Int64(RecordHeader.generationOffset + 1)), .blob(number.bytes),
      ]
    ) { (row) throws(StoreError) in
      ItemID(try row.bytes16(0, "record.item"))
    }
  }

  /// Returns the number of items of a group with more than one head, of which at least one is no tombstone. Based on
  /// hints.
  package func conflictCount(in group: GroupID) throws(StoreError) -> Int {
    Int(try connection.integer("SELECT count(*) FROM conflict WHERE group_id = ?1", [.id(group.raw)]) ?? 0)
  }

  /// Returns the items of a group with more than one head, of which at least one is no tombstone, in ascending order.
  /// Based on hints.
  package func conflicts(in group: GroupID) throws(StoreError) -> [ItemID] {
    try connection.rows(
      "SELECT item FROM conflict WHERE group_id = ?1 AND length(item) = 16 ORDER BY item", [.id(group.raw)]
    ) { (row) throws(StoreError) in
      ItemID(try row.bytes16(0, "conflict.item"))
    }
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
  func records(_ rows: borrowing SQLStatement, byteLimit: Int) throws(StoreError) -> [StoredRecord] {
    let columns = RecordColumns(withValue: true)
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

  /// Returns the groups with records after the number `last`, and the last number now. Instead of the groups, returns
  /// nil if all may have changed: versions have become current, or have ceased to be, without a new record.
  package func groupsChanged(after last: Int64) throws(StoreError) -> (groups: [GroupID]?, last: Int64) {
    guard try lastUnlistedChange() <= last else { return (nil, try lastNumber()) }
    // Without an index: SQLite would take the one whose rows are in the order of groups, and read all of it.
    let groups = try connection.rows(
      "SELECT DISTINCT group_id FROM record NOT INDEXED WHERE id > ?1 AND id < \(Schema.rowLimit)", [.integer(last)]
    ) { (row) throws(StoreError) in GroupID(try row.bytes16(0, "record.group_id")) }
    return (groups, try lastNumber())
  }

  /// Returns the items of a group that have a tombstone without a successor as a head, and a version whose contents are
  /// kept, the last deletion that arrived first. Based on hints.
  package func deletedItems(in group: GroupID) throws(StoreError) -> [ItemID] {
    try connection.rows(
      """
      SELECT item FROM record r INDEXED BY record_item
      WHERE group_id = ?1 AND head = 1 AND length(item) = 16 AND \(Schema.isDeletion) AND EXISTS (
        SELECT 1 FROM record v INDEXED BY record_item
        WHERE v.group_id = ?1 AND v.item = r.item AND v.tombstone = 0 AND length(v.signed) > 0)
      GROUP BY item ORDER BY max(id) DESC
      """, [.id(group.raw)]
    ) { (row) throws(StoreError) in
      ItemID(try row.bytes16(0, "record.item"))
    }
  }

  /// Returns the items with records after the number `last`, and the last number now; nil instead of the items if all
  /// may have changed, as ``groupsChanged(after:)`` does. Rows without an identifier are skipped.
  package func itemsChanged(
    after last: Int64
  ) throws(StoreError) -> (items: [(group: GroupID, item: ItemID)]?, last: Int64) {
    guard try lastUnlistedChange() <= last else { return (nil, try lastNumber()) }
    let items = try connection.rows(
      """
      SELECT DISTINCT group_id, item FROM record
      WHERE id > ?1 AND id < \(Schema.rowLimit) AND length(group_id) = 16 AND length(item) = 16
      """, [.integer(last)]
    ) { (row) throws(StoreError) in
      (group: GroupID(try row.bytes16(0, "record.group_id")), item: ItemID(try row.bytes16(1, "record.item")))
    }
    return (items, try lastNumber())
  }

  /// Returns the number of the last row, or of the last change that has added none. No later row or change gets it,
  /// also if the row is removed.
  func lastNumber() throws(StoreError) -> Int64 {
    let row = try connection.integer("SELECT max(id) FROM record WHERE id < \(Schema.rowLimit)") ?? 0
    return try max(row, lastUnlistedChange())
  }

  /// Returns the number of the last change of current versions that has added no row; 0 if there was none.
  private func lastUnlistedChange() throws(StoreError) -> Int64 {
    let number = Int64(try value(.lastUnlistedChange, as: Int.self) ?? 0)
    return 0..<Schema.rowLimit ~= number ? number : 0
  }

  // MARK: Rows

  private func records(
    _ statements: RecordColumns.Statements, _ values: [SQLValue], _ author: AuthorID?, withValues: Bool
  ) throws(StoreError) -> [StoredRecord] {
    let columns = RecordColumns(withValue: withValues)
    let rows = try connection.statement(statements[withValues: withValues], values)
    try rows.bind(RecordColumns.author(author), at: 9)
    return try connection.rows(of: rows) { (row) throws(StoreError) in columns.read(row, from: 0) }
  }
}

extension FrequentStatement {
  static let placesOfClass = FrequentStatement("SELECT r.created, r.arrival, r.item \(listOfClass)")
  static let headsOfClass = FrequentStatement(
    """
    SELECT r.created, r.arrival, r.item, EXISTS (SELECT 1 FROM record o INDEXED BY record_item
        WHERE o.group_id = r.group_id AND o.item = r.item AND o.head = 1 AND o.id <> r.id),
      \(RecordColumns(withValue: false).sql) \(listOfClass)
    """)
  private static let listOfClass = """
    FROM record r INDEXED BY record_live
    WHERE r.group_id = ?1 AND r.class = ?2 AND r.head = 1 AND r.tombstone = 0 AND length(r.item) = 16
      AND (r.created, r.arrival, r.item) > (?3, ?4, ?5)
    ORDER BY r.created, r.arrival, r.item LIMIT ?6
    """
  static let placesOfToken = FrequentStatement(
    """
    SELECT created, arrival, item, record FROM token
    WHERE group_id = ?1 AND token = ?2 AND (created, arrival, item) > (?3, ?4, ?5) AND length(item) = 16
    ORDER BY created, arrival, item
    """)
  fileprivate static let head = FrequentStatement("SELECT 1 FROM record WHERE id = ?1 AND head = 1")
  fileprivate static let anyVersion = FrequentStatement(
    "SELECT 1 FROM record WHERE group_id = ?1 AND item = ?2 LIMIT 1")
}

extension ListPlace? {
  /// The values of the columns `created`, `arrival` and `item` after which the next place is; the least ones for nil.
  fileprivate var values: [SQLValue] {
    [.integer(self?.created ?? .min), .integer(self?.arrival ?? .min), self.map { .id($0.item.raw) } ?? .blob([])]
  }
}
