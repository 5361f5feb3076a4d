internal import CofferCrypto
package import CofferFormat

/// Look-ups for overviews. Based on hints.
extension StoreAccess where Self: ~Copyable {
  /// Returns the activity of every author of records that count, in ascending order. Reads every row of a record, without
  /// its value.
  package func authorActivity() throws(StoreError) -> [AuthorActivity] {
    // SQLite takes the columns that are no aggregates from the row with the maximum.
    try connection.rows(
      """
      SELECT author, count(*), max(time), group_id, tombstone FROM record
      WHERE standing <> 2 AND length(author) = 16 AND length(group_id) = 16 GROUP BY author ORDER BY author
      """
    ) { (row) throws(StoreError) in
      AuthorActivity(
        author: AuthorID(try row.bytes16(0, "record.author")), recordCount: Int(clamping: row.integer(1)),
        last: Timestamp(microseconds: row.integer(2)), group: GroupID(try row.bytes16(3, "record.group_id")),
        isDeletion: row.flag(4))
    }
  }

  /// Returns the time of the oldest record in the outbox, by this machine's clock; nil if the outbox is empty.
  package func oldestOutboxTime() throws(StoreError) -> Timestamp? {
    try connection.integer(
      "SELECT r.time FROM outbox o CROSS JOIN record r ON r.id = o.record ORDER BY r.time LIMIT 1"
    )
    .map { Timestamp(microseconds: $0) }
  }
}
