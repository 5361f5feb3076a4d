internal import CofferCrypto
package import CofferFormat

/// Look-ups of records that a revocation may refuse, and of refused ones.
extension StoreAccess where Self: ~Copyable {
  /// Returns the segments with refused records, each with the hashes of their copies, in ascending order. A record that
  /// is in several of them is named once. `followed` is the last published entry of the log that this machine has: a
  /// record of which a segment names no later one is refused. If a revocation has ended an author's right to write a
  /// group, its records are refused in any case.
  package func refusedPlaces(
    after followed: UInt64, isCutOff: (AuthorID, GroupID) -> Bool
  ) throws(StoreError) -> [(stream: StreamID, number: UInt64, copies: Set<RecordHash>)] {
    let rows = try connection.statement(
      """
      SELECT stream, number, hash, author, group_id, log <= ?1
      FROM (SELECT stream, number, hash, author, group_id, min(log) AS log FROM unadmitted GROUP BY hash)
      ORDER BY stream, number
      """, [.integer(Int64(clamping: followed))])
    var places: [(stream: StreamID, number: UInt64, copies: Set<RecordHash>)] = []
    while try rows.step() {
      // A check names altered rows.
      guard let stream = Bytes16(rows.bytes(0)), let number = UInt64(exactly: rows.integer(1)),
        let hash = Bytes32(rows.bytes(2)), let author = Bytes16(rows.bytes(3)), let group = Bytes16(rows.bytes(4)),
        rows.flag(5) || isCutOff(AuthorID(author), GroupID(group))
      else { continue }
      if let last = places.last, last.stream.raw == stream, last.number == number {
        places[places.count - 1].copies.insert(RecordHash(hash))
      } else {
        places.append((StreamID(stream), number, [RecordHash(hash)]))
      }
    }
    return places
  }

  /// Returns the number that counts a copy of a pending or refused record, as in ``unadmittedCounts(after:)``: 1, with
  /// its author, group and machine. Nil if the store has no copy with this ``Record/copyHash``.
  package func unadmittedCount(ofCopy copy: RecordHash, after followed: UInt64) throws(StoreError) -> UnadmittedCount? {
    let rows = try connection.statement(
      """
      SELECT author, group_id, min(device), min(log) > ?1 FROM unadmitted WHERE hash = ?2 GROUP BY hash
      UNION ALL
      SELECT author, group_id, x'', 0 FROM record WHERE hash = ?2 AND standing = 2
      """, [.integer(Int64(clamping: followed)), .hash(copy.raw)])
    guard try rows.step(), let author = Bytes16(rows.bytes(0)), let group = Bytes16(rows.bytes(1)) else { return nil }
    return UnadmittedCount(
      author: AuthorID(author), group: GroupID(group), device: Bytes16(rows.bytes(2)).map { DeviceID($0) },
      isPending: rows.flag(3), count: 1)
  }

  /// Whether a record that counts follows one that does not, or one that the store does not have: refused records may be
  /// settled only then. Based on hints.
  package func hasBaseThatDoesNotCount() throws(StoreError) -> Bool {
    try connection.integer(
      """
      SELECT 1 FROM edge e JOIN record r ON r.id = e.record
      WHERE r.standing <> 2 AND NOT EXISTS (SELECT 1 FROM record b WHERE b.hash = e.base AND b.standing <> 2) LIMIT 1
      """) != nil
  }

  /// Whether a record that counts follows this one. Based on hints.
  package func isFollowed(_ hash: RecordHash) throws(StoreError) -> Bool {
    try connection.integer(
      "SELECT 1 FROM edge e JOIN record r ON r.id = e.record WHERE e.base = ?1 AND r.standing <> 2 LIMIT 1",
      [.hash(hash.raw)]) != nil
  }

  /// Returns an author's valid records, those without contents included, with their groups. Based on hints.
  package func validRecords(by author: AuthorID) throws(StoreError) -> [(hash: RecordHash, group: GroupID)] {
    try connection.rows(
      "SELECT hash, group_id FROM record WHERE author = ?1 AND standing <> 2 ORDER BY hash", [.id(author.raw)]
    ) { (row) throws(StoreError) in
      (RecordHash(try row.bytes32(0, "record.hash")), GroupID(try row.bytes16(1, "record.group_id")))
    }
  }
}
