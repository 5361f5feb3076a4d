internal import CofferCrypto
package import CofferFormat

/// Look-ups of pending and refused records.
extension StoreAccess where Self: ~Copyable {
  /// Whether a copy of a record is known to be pending or refused.
  package func hasUnadmitted(_ hash: RecordHash) throws(StoreError) -> Bool {
    try connection.integer("SELECT 1 FROM unadmitted WHERE hash = ?1 LIMIT 1", [.hash(hash.raw)]) != nil
  }

  /// Whether a segment is known that contains a copy of a pending or refused record, that no snapshot covers, and that
  /// the remote keeps. If so, the record need not be sent. `isRefused` tells whether a segment after the last one of
  /// its stream that counts was refused.
  func hasSentUnadmitted(
    _ hash: RecordHash, unless isRefused: (DeviceID, StreamID, UInt64) -> Bool
  ) throws(StoreError) -> Bool {
    let rows = try connection.statement(
      """
      SELECT u.device, u.stream, u.number, s.number IS NOT NULL FROM unadmitted u LEFT JOIN stream t ON t.stream = u.stream
        LEFT JOIN segment s ON s.stream = u.stream AND s.number = u.number
      WHERE u.hash = ?1 AND (s.number IS NOT NULL OR t.number IS NULL OR u.number > t.number)
      """, [.hash(hash.raw)])
    while try rows.step() {
      if rows.flag(3) { return true }
      guard let device = Bytes16(rows.bytes(0)), let stream = Bytes16(rows.bytes(1)),
        let number = UInt64(exactly: rows.integer(2))
      else { continue }
      if !isRefused(DeviceID(device), StreamID(stream), number) { return true }
    }
    return false
  }

  /// Returns the number of pending and of refused records by author, group and machine, in ascending order of these.
  /// `followed` is the last published entry of the log that this machine has: a record of which a segment names no
  /// later one is refused, and so is one of which no segment is known.
  package func unadmittedCounts(after followed: UInt64) throws(StoreError) -> [UnadmittedCount] {
    let rows = try connection.statement(
      """
      SELECT author, group_id, device, pending, count(*) FROM (
        SELECT author, group_id, min(device) AS device, min(log) > ?1 AS pending FROM unadmitted GROUP BY hash
        UNION ALL
        SELECT author, group_id, x'' AS device, 0 AS pending FROM record r
        WHERE standing = 2 AND NOT EXISTS (SELECT 1 FROM unadmitted u WHERE u.hash = r.hash))
      GROUP BY author, group_id, device, pending ORDER BY author, group_id, device, pending
      """, [.integer(Int64(clamping: followed))])
    var counts: [UnadmittedCount] = []
    while try rows.step() {
      // A check names altered rows.
      guard let author = Bytes16(rows.bytes(0)), let group = Bytes16(rows.bytes(1)) else { continue }
      counts.append(
        UnadmittedCount(
          author: AuthorID(author), group: GroupID(group), device: Bytes16(rows.bytes(2)).map { DeviceID($0) },
          isPending: rows.flag(3), count: Int(rows.integer(4))))
    }
    return counts
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
    var places: [(stream: StreamID, number: UInt64)] = []
    let rows = try connection.statement("SELECT stream, number FROM segment ORDER BY stream, number")
    while try rows.step() {
      guard let stream = Bytes16(rows.bytes(0)), let number = UInt64(exactly: rows.integer(1)) else { continue }
      places.append((StreamID(stream), number))
    }
    return places
  }

  // MARK: Contents

  /// Returns the size in bytes of the kept contents of pending and refused records: of all, or only of those that are
  /// in a segment of a machine.
  package func unadmittedByteCount(from device: DeviceID? = nil) throws(StoreError) -> Int {
    let filter =
      device == nil ? "" : "AND EXISTS (SELECT 1 FROM unadmitted u WHERE u.hash = r.hash AND u.device = ?1)"
    return Int(
      clamping: try connection.integer(
        """
        SELECT ifnull(sum(length(signed) + length(attributes) + length(value)), 0) FROM record r
        WHERE standing = 2 \(filter)
        """, device.map { [.id($0.raw)] } ?? []) ?? 0)
  }

  /// Returns the records whose contents are kept after row `last`, in the order of arrival: as many as fit into
  /// `byteLimit` bytes, and at least one if there is any.
  package func unadmittedContents(after last: Int64, byteLimit: Int) throws(StoreError) -> [StoredRecord] {
    try records(
      connection.statement(RecordColumns.unadmitted[withValues: true], [.integer(last)]), byteLimit: byteLimit)
  }
}
