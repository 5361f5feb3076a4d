internal import CofferCrypto
package import CofferFormat

/// Look-ups of pending and refused records.
extension StoreAccess where Self: ~Copyable {
  /// Whether a copy of a record is known to be pending or refused.
  package func hasUnadmitted(_ hash: RecordHash) throws(StoreError) -> Bool {
    try connection.integer("SELECT 1 FROM unadmitted WHERE hash = ?1 LIMIT 1", [.hash(hash.raw)]) != nil
  }

  /// Whether a segment of the store contains a copy of a pending or refused record.
  func isInSegment(copy hash: RecordHash) throws(StoreError) -> Bool {
    try connection.integer(
      """
      SELECT 1 FROM unadmitted u JOIN segment s ON s.stream = u.stream AND s.number = u.number WHERE u.hash = ?1 LIMIT 1
      """, [.hash(hash.raw)]) != nil
  }

  /// Returns the number of pending and of refused records by author, group and machine, in ascending order of these.
  /// `followed` is the last published entry of the log that this machine has: a record of which a segment names no
  /// later one is refused, and so is one of which no segment is known.
  package func unadmittedCounts(after followed: UInt64) throws(StoreError) -> [UnadmittedCount] {
    try connection.rows(
      """
      SELECT author, group_id, device, pending, count(*) FROM (
        SELECT author, group_id, min(device) AS device, min(log) > ?1 AS pending FROM unadmitted GROUP BY hash
        UNION ALL
        SELECT author, group_id, x'' AS device, 0 AS pending FROM record r
        WHERE standing = 2 AND NOT EXISTS (SELECT 1 FROM unadmitted u WHERE u.hash = r.hash))
      GROUP BY author, group_id, device, pending ORDER BY author, group_id, device, pending
      """, [.integer(Int64(clamping: followed))]
    ) { (row) throws(StoreError) in
      // A check names altered rows.
      UnadmittedCount(row, count: Int(row.integer(4)))
    }
  }

  /// Returns the segments with pending or refused records that may count now, or whose signature can be checked now.
  /// The segments are in ascending order. `isAuthor` tells whether the log contains an author, and `isPermitted`
  /// whether it lets an author write a group under a generation of its key.
  package func segmentsToRevalidate(
    isAuthor: (AuthorID) -> Bool, isPermitted: (AuthorID, GroupID, UInt32) -> Bool
  ) throws(StoreError) -> [(stream: StreamID, number: UInt64)] {
    var places: [(stream: StreamID, number: UInt64)] = []
    let rows = try connection.statement(
      "SELECT stream, number, author, group_id, generation, authentic FROM unadmitted ORDER BY stream, number, hash")
    while try rows.step() {
      guard let stream = Bytes16(rows.bytes(0)), let number = UInt64(exactly: rows.integer(1)) else { continue }
      let place = (stream: StreamID(stream), number: number)
      if let last = places.last, last == place { continue }
      // A row with other values is altered: its segment tells what is right.
      if let author = Bytes16(rows.bytes(2)), let group = Bytes16(rows.bytes(3)),
        let generation = UInt32(exactly: rows.integer(4)),
        rows.flag(5)
          ? !isPermitted(AuthorID(author), GroupID(group), generation) : !isAuthor(AuthorID(author))
      {
        continue
      }
      places.append(place)
    }
    return places
  }

  /// Returns all segments in the store, in ascending order.
  package func allSegments() throws(StoreError) -> [(stream: StreamID, number: UInt64)] {
    try connection.rows("SELECT stream, number FROM segment ORDER BY stream, number") { (row) throws(StoreError) in
      guard let stream = Bytes16(row.bytes(0)), let number = UInt64(exactly: row.integer(1)) else { return nil }
      return (StreamID(stream), number)
    }
  }

  // MARK: Contents

  /// Returns the size in bytes of the kept contents of pending and refused records, and of those that are in segments
  /// of each machine.
  package func unadmittedByteCounts() throws(StoreError) -> (all: Int, devices: [DeviceID: Int]) {
    let size = "length(signed) + length(attributes) + length(value)"
    let all = try connection.integer("SELECT ifnull(sum(\(size)), 0) FROM record WHERE standing = 2") ?? 0
    let devices = try connection.rows(
      """
      SELECT device, sum(size) FROM (
        SELECT DISTINCT u.device, r.id, \(size) AS size FROM record r CROSS JOIN unadmitted u ON u.hash = r.hash
        WHERE r.standing = 2)
      GROUP BY device
      """
    ) { (row) throws(StoreError) in Bytes16(row.bytes(0)).map { (DeviceID($0), Int(clamping: row.integer(1))) } }
    return (Int(clamping: all), Dictionary(devices) { first, _ in first })
  }

  /// Returns the records whose contents are kept after row `last`, in the order of arrival: as many as fit into
  /// `byteLimit` bytes, and at least one if there is any.
  package func unadmittedContents(after last: Int64, byteLimit: Int) throws(StoreError) -> [StoredRecord] {
    try records(
      connection.statement(RecordColumns.unadmitted[withValues: true], [.integer(last)]), byteLimit: byteLimit)
  }
}

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
    return try rows.step() ? UnadmittedCount(rows, count: 1) : nil
  }

  /// Whether a record that counts follows one that does not, or one that the store does not have: refused records may
  /// be adopted only then. Based on hints.
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

/// The number of pending or refused records of one author in one group.
package struct UnadmittedCount: Hashable, Sendable {
  /// The author that the records name.
  package let author: AuthorID
  package let group: GroupID
  /// A machine that sent them; nil if no segment with them is known.
  package let device: DeviceID?
  /// True if each segment with the records names a later log entry than this machine has followed.
  package let isPending: Bool
  package let count: Int

  package init(author: AuthorID, group: GroupID, device: DeviceID?, isPending: Bool, count: Int) {
    self.author = author
    self.group = group
    self.device = device
    self.isPending = isPending
    self.count = count
  }

  /// Reads the author, the group, the machine and whether they are pending; nil for an altered author or group.
  fileprivate init?(_ row: borrowing SQLStatement, count: Int) {
    guard let author = Bytes16(row.bytes(0)), let group = Bytes16(row.bytes(1)) else { return nil }
    self.init(
      author: AuthorID(author), group: GroupID(group), device: Bytes16(row.bytes(2)).map { DeviceID($0) },
      isPending: row.flag(3), count: count)
  }
}
