internal import CofferCrypto
internal import CofferFormat

/// Where the comparison of the store's contents goes on, by the numbers of rows.
package struct ContentPosition: Sendable, Hashable, Codable {
  package var record: Int64 = 0
  package var segment: Int64 = 0
  package var log: Int64 = 0
  /// How much of the next segments is due, in parts of a segment.
  package var segmentShare: Int64 = 0

  package init() {}

  // A file of another version may lack one of them.
  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    record = try values.decodeIfPresent(Int64.self, forKey: .record) ?? 0
    segment = try values.decodeIfPresent(Int64.self, forKey: .segment) ?? 0
    log = try values.decodeIfPresent(Int64.self, forKey: .log) ?? 0
    segmentShare = try values.decodeIfPresent(Int64.self, forKey: .segmentShare) ?? 0
  }
}

/// The next rows of a table to compare.
package struct RowSlice: Sendable, Hashable {
  /// After how many slices every row of a store was compared, unless it has had more than ``recordCount`` records for
  /// each.
  package static let rounds: Int64 = 64
  /// The most records of a slice.
  package static let recordCount: Int64 = 512
  /// The fewest rows of a slice, unless a row may be large.
  package static let minimumCount: Int64 = 64
  /// A greater number of a row is not one that this program has written.
  private static let greatestRow: Int64 = 1 << 40

  package let rows: Range<Int64>
  /// The rows to read; nil for none. The first slice of a table has no first row and the last one no last row: another
  /// program may have written a row with any number.
  package let bounds: ClosedRange<Int64>?
  /// The position after the slice: 0 at the end of the table.
  package let next: Int64

  private init(after position: Int64, count: Int64, upTo end: Int64) {
    let last = min(position + count, end)
    rows = position + 1..<last + 1
    let isAtEnd = last == end
    bounds = rows.isEmpty && !isAtEnd ? nil : (position == 0 ? .min : position + 1)...(isAtEnd ? .max : last)
    next = isAtEnd ? 0 : last
  }

  /// After how many slices every row of a store with a number of records was compared.
  package static func rounds(forRecords count: Int64) -> Int64 {
    max(rounds, (min(count, greatestRow) + recordCount - 1) / recordCount + 1)
  }

  /// A slice of a table with small rows, after the end of the last slice. After `rounds` slices, every row was
  /// compared.
  package init(after position: Int64, upTo end: Int64, in rounds: Int64) {
    let end = min(max(end, 0), Self.greatestRow)
    // One slice less than rounds: one that begins elsewhere than the last round may end at the end of the table.
    let count = max(Self.minimumCount, (end + rounds - 2) / (rounds - 1))
    self.init(after: Self.start(position, end), count: count, upTo: end)
  }

  /// A slice of a table whose rows may be large. If it has fewer rows than there are rounds, most slices have none.
  /// After `rounds` slices, every row was compared. `share` is what the slices before have left of a row, and then what
  /// this one leaves: in parts of a row, of which it has one for each round but one.
  package init(after position: Int64, upTo end: Int64, in rounds: Int64, share: inout Int64) {
    let end = min(max(end, 0), Self.greatestRow)
    let parts = rounds - 1
    // More is not what a slice has left.
    let due = min(max(share, 0), end + parts) + end
    self.init(after: Self.start(position, end), count: due / parts, upTo: end)
    // What is beyond the end of the table is due in the next slice.
    share = due - Int64(rows.count) * parts
  }

  private static func start(_ position: Int64, _ end: Int64) -> Int64 {
    position < 0 || position >= end ? 0 : position
  }
}

/// Compares what the summary does not cover: the contents of records, segments and envelopes.
extension StoreAccess where Self: ~Copyable {
  /// Compares the next slice of each table, after where the last slices ended, and returns whether each row has the
  /// contents that its hash or its entry names.
  package func isSliceSound(
    _ position: inout ContentPosition, isSegment: (_ envelope: [UInt8], _ hash: [UInt8]) -> Bool,
    isEntry: (_ envelope: [UInt8], _ entry: [UInt8]) -> Bool
  ) throws(StoreError) -> Bool {
    let greatestRecord = try greatest("id", of: "record")
    let rounds = RowSlice.rounds(forRecords: greatestRecord)
    let records = RowSlice(after: position.record, upTo: greatestRecord, in: rounds)
    let segments = RowSlice(
      after: position.segment, upTo: try greatest("id", of: "segment"), in: rounds, share: &position.segmentShare)
    let entries = RowSlice(after: position.log, upTo: try greatest("sequence", of: "log"), in: rounds)
    (position.record, position.segment, position.log) = (records.next, segments.next, entries.next)
    guard try areRecordsSound(records.bounds) else { return false }
    guard try areSegmentsSound(segments.bounds, isSegment) else { return false }
    return try areEntriesSound(entries.bounds, isEntry)
  }

  private func greatest(_ column: String, of table: String) throws(StoreError) -> Int64 {
    try connection.integer("SELECT max(\(column)) FROM \(table)") ?? 0
  }

  private func areRecordsSound(_ slice: ClosedRange<Int64>?) throws(StoreError) -> Bool {
    guard let slice else { return true }
    // A pruned record has no contents.
    let rows = try connection.statement(
      """
      SELECT hash, signed, attributes, value FROM record
      WHERE id BETWEEN ?1 AND ?2 AND NOT (standing = \(Schema.prunedValidity) AND length(signed) = 0)
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
    _ slice: ClosedRange<Int64>?, _ isSegment: ([UInt8], [UInt8]) -> Bool
  ) throws(StoreError) -> Bool {
    guard let slice else { return true }
    let rows = try connection.statement(
      "SELECT hash, envelope FROM segment WHERE id BETWEEN ?1 AND ?2",
      [.integer(slice.lowerBound), .integer(slice.upperBound)])
    while try rows.step() {
      guard isSegment(rows.bytes(1), rows.bytes(0)) else { return false }
    }
    return true
  }

  private func areEntriesSound(
    _ slice: ClosedRange<Int64>?, _ isEntry: ([UInt8], [UInt8]) -> Bool
  ) throws(StoreError) -> Bool {
    guard let slice else { return true }
    let rows = try connection.statement(
      "SELECT entry, envelope FROM log WHERE sequence BETWEEN ?1 AND ?2",
      [.integer(slice.lowerBound), .integer(slice.upperBound)])
    while try rows.step() {
      guard isEntry(rows.bytes(1), rows.bytes(0)) else { return false }
    }
    return true
  }
}
