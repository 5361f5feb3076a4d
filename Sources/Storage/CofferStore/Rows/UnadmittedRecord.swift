internal import CofferCrypto
package import CofferFormat

/// The place of a pending or refused record, and what decides whether it counts. Its contents stay in the segment.
///
/// A record that several segments contain has a row for each of them. The lowest position of the log that one of them
/// names applies: it depends on the set of segments only, and a copy in a later segment cannot make the record pending
/// again.
package struct UnadmittedRecord: Hashable, Sendable {
  /// The hash of all bytes of the record, see ``CofferFormat/Record/copyHash``.
  package let hash: RecordHash
  package let stream: StreamID
  package let number: UInt64
  /// The machine that signed the segment.
  package let device: DeviceID
  /// The last entry of the log that the segment names.
  package let log: UInt64
  /// The author that the record names.
  package let author: AuthorID
  package let group: GroupID
  package let generation: UInt32
  /// Whether the log contains the author, who has signed the record.
  package let isAuthentic: Bool

  /// The columns of the row.
  static let columns = "stream, number, hash, device, log, author, group_id, generation, authentic"

  /// The values of the row, in the order of the columns.
  var values: [SQLValue] {
    [
      .id(stream.raw), .integer(Int64(clamping: number)), .hash(hash.raw), .id(device.raw),
      .integer(Int64(clamping: log)), .id(author.raw), .id(group.raw), .integer(Int64(generation)), .flag(isAuthentic),
    ]
  }
}

extension UnadmittedRecord {
  /// Creates the row of a record in a segment that contains it. `isAuthentic` is whether the log contains the author,
  /// who has signed the record, and `isClaim` whether the position of the log that the segment names counts.
  package init(_ record: Record, in segment: Segment, isAuthentic: Bool, isClaim: Bool = true) {
    hash = record.copyHash
    stream = segment.stream
    number = segment.number
    device = segment.device
    log = isClaim ? segment.log.sequence : 0
    author = record.header.author
    group = record.header.group
    generation = record.header.generation
    self.isAuthentic = isAuthentic
  }
}

extension UnadmittedRecord {
  /// Creates the row of a record of a snapshot, from the segment in which it was. `isAuthentic` is whether the log
  /// contains the author, who has signed the record.
  package init(_ record: Record, at origin: SnapshotEntry.Origin, isAuthentic: Bool) {
    hash = record.copyHash
    stream = origin.stream
    number = origin.number
    device = origin.device
    log = origin.log
    author = record.header.author
    group = record.header.group
    generation = record.header.generation
    self.isAuthentic = isAuthentic
  }
}

extension Record {
  /// The hash of the signed part and the signature, by which the store distinguishes copies with different signatures.
  /// The record's own hash leaves out the signature; both cover the sealed parts by their hashes.
  package var copyHash: RecordHash { RecordHash(Hash.digest(signedBytes, domain: .pendingRecord)) }
}

extension UnadmittedRecord {
  /// Reads the current row of a statement over ``columns``. Nil for values of another type or size.
  init?(_ rows: borrowing SQLStatement) {
    guard let stream = Bytes16(rows.bytes(0)), let number = UInt64(exactly: rows.integer(1)),
      let hash = Bytes32(rows.bytes(2)), let device = Bytes16(rows.bytes(3)),
      let log = UInt64(exactly: rows.integer(4)), let author = Bytes16(rows.bytes(5)),
      let group = Bytes16(rows.bytes(6)), let generation = UInt32(exactly: rows.integer(7))
    else { return nil }
    self.init(
      hash: RecordHash(hash), stream: StreamID(stream), number: number, device: DeviceID(device), log: log,
      author: AuthorID(author), group: GroupID(group), generation: generation, isAuthentic: rows.flag(8))
  }
}
