internal import CofferCrypto
package import CofferFormat

extension StoreAccess where Self: ~Copyable {
  /// Returns the last known segment of every stream, in ascending order of stream.
  package func streamHeads() throws(StoreError) -> [StreamHead] {
    try connection.rows("SELECT stream, number, hash, device, own FROM stream ORDER BY stream") {
      (row) throws(StoreError) in
      try head(row)
    }
  }

  /// Returns the last known segment of one stream; nil if the stream is unknown.
  package func streamHead(of stream: StreamID) throws(StoreError) -> StreamHead? {
    let rows = try connection.statement(
      "SELECT stream, number, hash, device, own FROM stream WHERE stream = ?1", [.id(stream.raw)])
    return try rows.step() ? try head(rows) : nil
  }

  private func head(_ rows: borrowing SQLStatement) throws(StoreError) -> StreamHead {
    StreamHead(
      position: try position(rows), device: DeviceID(try rows.bytes16(3, "stream.device")), isOwn: rows.flag(4))
  }

  /// Returns one segment; nil if the store does not have it.
  package func segment(_ stream: StreamID, _ number: UInt64) throws(StoreError) -> StoredSegment? {
    guard let number = Int64(exactly: number) else { return nil }
    let rows = try connection.statement(
      "SELECT stream, number, hash, device, envelope, published FROM segment WHERE stream = ?1 AND number = ?2",
      [.id(stream.raw), .integer(number)])
    return try rows.step() ? try segment(rows) : nil
  }

  /// Compares a position that another machine has reported with the store.
  package func comparison(with position: StreamPosition) throws(StoreError) -> StreamComparison {
    guard let number = Int64(exactly: position.number) else { return .missing }
    let segment = try connection.statement(
      "SELECT hash FROM segment WHERE stream = ?1 AND number = ?2", [.id(position.stream.raw), .integer(number)])
    if try segment.step() {
      return SegmentHash(try segment.bytes32(0, "segment.hash")) == position.hash ? .held : .different
    }
    // Segments before a checkpoint are not stored one by one.
    let isCovered = try connection.integer(
      "SELECT 1 FROM stream WHERE stream = ?1 AND number >= ?2", [.id(position.stream.raw), .integer(number)])
    return isCovered == nil ? .missing : .held
  }

  /// Calls `body` with each segment of a stream in the store, in ascending order of number.
  package func forEachSegment(of stream: StreamID, _ body: (StoredSegment) throws -> Void) throws {
    let rows = try connection.freshStatement(
      "SELECT stream, number, hash, device, envelope, published FROM segment WHERE stream = ?1 ORDER BY number",
      [.id(stream.raw)])
    while try rows.step() { try body(try segment(rows)) }
  }

  /// Returns the unpublished segments, in the order in which they were stored: those of this machine, and those of
  /// others that were in lanes.
  package func unpublishedSegments() throws(StoreError) -> [StoredSegment] {
    try connection.rows(
      "SELECT stream, number, hash, device, envelope, published FROM segment WHERE published IS NULL ORDER BY id"
    ) { (row) throws(StoreError) in
      try segment(row)
    }
  }

  /// Returns the places of the published segments and the identifiers of their files on the remote, which are empty if
  /// they are unknown. Reads no envelope.
  package func publishedSegments() throws(StoreError) -> [(stream: StreamID, number: UInt64, file: [UInt8])] {
    try connection.rows(
      """
      SELECT stream, number, published FROM segment INDEXED BY segment_published
      WHERE published IS NOT NULL ORDER BY stream, number
      """
    ) { (row) throws(StoreError) in
      (StreamID(try row.bytes16(0, "segment.stream")), try row.unsigned(1, "segment.number"), row.bytes(2))
    }
  }

  /// Returns the places of the published segments of which the identifiers of their files are not known. Reads no
  /// envelope.
  package func unidentifiedSegments() throws(StoreError) -> [(stream: StreamID, number: UInt64)] {
    try connection.rows(
      """
      SELECT stream, number FROM segment INDEXED BY segment_published
      WHERE published IS NOT NULL AND length(published) = 0 ORDER BY stream, number
      """
    ) { (row) throws(StoreError) in
      (StreamID(try row.bytes16(0, "segment.stream")), try row.unsigned(1, "segment.number"))
    }
  }

  /// Returns the heads of other devices' streams that own segments have not reported yet, in ascending order.
  package func unreportedStreamHeads() throws(StoreError) -> [StreamPosition] {
    try connection.rows(
      "SELECT stream, number, hash FROM stream WHERE own = 0 AND number > reported ORDER BY stream"
    ) { (row) throws(StoreError) in
      try position(row)
    }
  }

  private func position(_ rows: borrowing SQLStatement) throws(StoreError) -> StreamPosition {
    StreamPosition(
      stream: StreamID(try rows.bytes16(0, "stream")), number: try rows.unsigned(1, "number"),
      hash: SegmentHash(try rows.bytes32(2, "hash")))
  }

  private func segment(_ rows: borrowing SQLStatement) throws(StoreError) -> StoredSegment {
    StoredSegment(
      position: try position(rows), device: DeviceID(try rows.bytes16(3, "segment.device")), envelope: rows.bytes(4),
      published: rows.optionalBytes(5))
  }
}

package struct StoredSegment: Hashable, Sendable {
  package let position: StreamPosition
  /// The device that signed the segment.
  package let device: DeviceID
  /// The segment sealed for transport: the bytes of the file on the remote.
  package let envelope: [UInt8]
  /// The identifier of the file on the remote: nil if the remote does not have the segment, empty if it is unknown.
  package let published: [UInt8]?

  /// True if the remote has the segment.
  package var isPublished: Bool { published != nil }

  package init(position: StreamPosition, device: DeviceID, envelope: [UInt8], published: [UInt8]?) {
    self.position = position
    self.device = device
    self.envelope = envelope
    self.published = published
  }
}

/// The last segment of a stream that is known to the store.
package struct StreamHead: Hashable, Sendable {
  package let position: StreamPosition
  /// The device that writes the stream.
  package let device: DeviceID
  /// True for a stream of this machine.
  package let isOwn: Bool

  package init(position: StreamPosition, device: DeviceID, isOwn: Bool) {
    self.position = position
    self.device = device
    self.isOwn = isOwn
  }
}

/// The result of comparing a position of a stream, or of the log, with the store.
package enum StreamComparison: Hashable, Sendable {
  /// The store has this segment or entry, or a later segment after a checkpoint.
  case held
  /// The stream or log in the store ends before this position.
  case missing
  /// The store has another segment or entry with this number.
  case different
}
