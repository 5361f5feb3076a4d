internal import CofferCrypto
internal import CofferFormat

/// Where the comparison of the store's contents goes on, by the numbers of rows.
package struct ContentPosition: Sendable, Hashable, Codable {
  package var record: Int64 = 0
  package var segment: Int64 = 0
  package var log: Int64 = 0

  package init() {}
}

/// The next rows of a table to compare: all of them in at most ``rounds`` slices.
package struct RowSlice: Sendable, Hashable {
  /// After how many slices every row was compared.
  package static let rounds: Int64 = 64
  /// The fewest rows of a slice, unless a row may be large.
  package static let minimumCount: Int64 = 64

  package let rows: ClosedRange<Int64>
  /// The position after the slice: 0 at the end of the table.
  package let next: Int64

  /// - Parameters:
  ///   - position: Where the last slice ended.
  ///   - end: The greatest number of a row.
  ///   - minimumCount: The fewest rows of a slice.
  package init(after position: Int64, upTo end: Int64, minimumCount: Int64 = RowSlice.minimumCount) {
    // A number beyond what a store can have: the summary shows that another program has written it.
    let end = min(max(end, 0), Int64.max / 4)
    let start = position < 0 || position >= end ? 0 : position
    // One slice less than rounds: one that begins elsewhere than the last round may end at the end of the table.
    let last = start + max(max(1, minimumCount), (end + Self.rounds - 2) / (Self.rounds - 1))
    rows = start + 1...last
    next = last >= end ? 0 : last
  }
}

/// Compares what the summary does not cover: the contents of records, segments and envelopes.
extension StoreAccess where Self: ~Copyable {
  /// Compares the next slice of each table.
  ///
  /// - Parameters:
  ///   - position: Where the last slices ended, and then where these end.
  ///   - isSegment: Whether an envelope contains the segment with a hash.
  ///   - isEntry: Whether an envelope contains a log entry.
  /// - Returns: Whether each row has the contents that its hash or its entry names.
  /// - Throws: ``StoreError`` if the rows cannot be read.
  package func isSliceSound(
    _ position: inout ContentPosition, isSegment: (_ envelope: [UInt8], _ hash: [UInt8]) -> Bool,
    isEntry: (_ envelope: [UInt8], _ entry: [UInt8]) -> Bool
  ) throws(StoreError) -> Bool {
    let records = RowSlice(after: position.record, upTo: try greatest("id", of: "record"))
    // One of them may have the size of thousands of records.
    let segments = RowSlice(after: position.segment, upTo: try greatest("id", of: "segment"), minimumCount: 1)
    let entries = RowSlice(after: position.log, upTo: try greatest("sequence", of: "log"))
    (position.record, position.segment, position.log) = (records.next, segments.next, entries.next)
    guard try areRecordsSound(records.rows) else { return false }
    guard try areSegmentsSound(segments.rows, isSegment) else { return false }
    return try areEntriesSound(entries.rows, isEntry)
  }

  private func greatest(_ column: String, of table: String) throws(StoreError) -> Int64 {
    try connection.integer("SELECT max(\(column)) FROM \(table)") ?? 0
  }

  private func areRecordsSound(_ slice: ClosedRange<Int64>) throws(StoreError) -> Bool {
    // A pruned record has no contents.
    let rows = try connection.statement(
      """
      SELECT hash, signed, attributes, value FROM record
      WHERE id BETWEEN ?1 AND ?2 AND NOT (standing = \(Schema.prunedStanding) AND length(signed) = 0)
      """, [.integer(slice.lowerBound), .integer(slice.upperBound)])
    while try rows.step() {
      guard
        let record = try? Record(
          signedBytes: rows.bytes(1), sealedAttributes: rows.bytes(2), sealedValue: rows.bytes(3))
      else { return false }
      let hash = rows.bytes(0)
      guard hash == record.hash.raw.bytes || hash == record.copyHash.raw.bytes else { return false }
    }
    return true
  }

  private func areSegmentsSound(
    _ slice: ClosedRange<Int64>, _ isSegment: ([UInt8], [UInt8]) -> Bool
  ) throws(StoreError) -> Bool {
    let rows = try connection.statement(
      "SELECT hash, envelope FROM segment WHERE id BETWEEN ?1 AND ?2",
      [.integer(slice.lowerBound), .integer(slice.upperBound)])
    while try rows.step() {
      guard isSegment(rows.bytes(1), rows.bytes(0)) else { return false }
    }
    return true
  }

  private func areEntriesSound(
    _ slice: ClosedRange<Int64>, _ isEntry: ([UInt8], [UInt8]) -> Bool
  ) throws(StoreError) -> Bool {
    let rows = try connection.statement(
      "SELECT entry, envelope FROM log WHERE sequence BETWEEN ?1 AND ?2",
      [.integer(slice.lowerBound), .integer(slice.upperBound)])
    while try rows.step() {
      guard isEntry(rows.bytes(1), rows.bytes(0)) else { return false }
    }
    return true
  }
}
