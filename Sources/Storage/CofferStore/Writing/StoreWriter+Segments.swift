internal import CofferCrypto
package import CofferFormat

extension StoreWriter {
  /// Inserts the segment that follows the stream's head. A new stream begins with number 0. `isOwn` is true for a
  /// stream of this machine. Throws ``StoreError/Code/missing`` if the number leaves a gap, and
  /// ``StoreError/Code/alreadyExists`` if the stream has a segment with this number or belongs to another device.
  package func insertSegment(_ segment: StoredSegment, isOwn: Bool) throws(StoreError) {
    let position = segment.position
    let head = try streamHead(of: position.stream)
    let next = head.map { $0.position.number + 1 } ?? 0
    guard position.number >= next else {
      throw connection.failure(.alreadyExists, "stream \(position.stream) already has a segment \(position.number)")
    }
    guard position.number == next, Int64(exactly: position.number) != nil else {
      throw connection.failure(
        .missing,
        "segment \(position.number) of stream \(position.stream) came before segment \(next); fetch that first")
    }
    try insertRow(segment)
    try setHead(StreamHead(position: position, device: segment.device, isOwn: isOwn), after: head)
  }

  /// Replaces the sealed form of a segment by another one of the same segment, which the remote has.
  package func replaceSegmentEnvelope(
    _ stream: StreamID, _ number: UInt64, by envelope: [UInt8], as file: [UInt8]
  ) throws(StoreError) {
    try markSegmentPublished(stream, number, as: file)
    try connection.run(
      "UPDATE segment SET envelope = ?3 WHERE stream = ?1 AND number = ?2",
      [.id(stream.raw), .integer(Int64(clamping: number)), .blob(envelope)])
  }

  /// Inserts a segment again that the store has lost. The stream's head does not change. The caller must have verified
  /// that it is the same segment.
  package func restoreSegment(_ segment: StoredSegment) throws(StoreError) { try insertRow(segment) }

  private func insertRow(_ segment: StoredSegment) throws(StoreError) {
    let position = segment.position
    let row: [SQLValue] = [
      .id(position.stream.raw), .integer(Int64(clamping: position.number)), .hash(position.hash.raw),
      .id(segment.device.raw),
    ]
    try connection.recordInsertion(into: .segment, row)
    try connection.run(
      """
      INSERT INTO segment (stream, number, hash, device, published, envelope) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      """, row + [.optionalBlob(segment.published), .blob(segment.envelope)])
  }

  /// Sets a stream's head from a checkpoint: the segments up to it are not needed, and the next one follows it. A
  /// position that is not after the current one is ignored. Throws ``StoreError/Code/alreadyExists`` if the stream
  /// belongs to another device.
  package func adoptStreamHead(_ head: StreamHead) throws(StoreError) {
    let held = try streamHead(of: head.position.stream)
    if let held, held.position.number >= head.position.number { return }
    try setHead(head, after: held)
  }

  /// Marks a segment as published, under the identifier of its file on the remote. The segments before it were
  /// published too, because they are pushed in ascending order.
  package func markSegmentPublished(_ stream: StreamID, _ number: UInt64, as file: [UInt8]) throws(StoreError) {
    try connection.run(
      "UPDATE segment SET published = x'' WHERE stream = ?1 AND number < ?2 AND published IS NULL",
      [.id(stream.raw), .integer(Int64(clamping: number))])
    try connection.run(
      "UPDATE segment SET published = ?3 WHERE stream = ?1 AND number = ?2",
      [.id(stream.raw), .integer(Int64(clamping: number)), .blob(file)])
  }

  /// Records that an own segment has reported these positions. Lower positions than before are ignored.
  package func markReported(_ positions: [StreamPosition]) throws(StoreError) {
    for position in positions {
      try connection.update(
        .stream, where: "stream = ?1", [.id(position.stream.raw)], set: "reported = max(reported, ?2)",
        [.integer(Int64(clamping: position.number))])
    }
  }

  /// Records that own segments have reported these positions and no others: some that did have left the store.
  package func setReported(_ positions: [StreamPosition]) throws(StoreError) {
    try connection.update(.stream, where: "1", [], set: "reported = -1")
    try markReported(positions)
  }

  /// Ends the streams of this machine, which gets other keys: the next segment begins a new stream.
  package func endOwnStreams() throws(StoreError) {
    try setSetting(.ownStream, nil)
    // The condition must hold before and after the change.
    try connection.update(.stream, where: "1", [], set: "own = 0")
  }

  private func setHead(_ head: StreamHead, after held: StreamHead?) throws(StoreError) {
    if let held, held.device != head.device {
      throw connection.failure(
        .alreadyExists, "stream \(head.position.stream) belongs to device \(held.device), not to \(head.device)")
    }
    guard let number = Int64(exactly: head.position.number) else {
      throw .malformed("a stream's number", path: connection.path)
    }
    try connection.changing(.stream, where: "stream = ?1", [.id(head.position.stream.raw)]) { () throws(StoreError) in
      try connection.run(
        """
        INSERT INTO stream (stream, device, own, number, hash, reported) VALUES (?1, ?2, ?3, ?4, ?5, -1)
        ON CONFLICT (stream) DO UPDATE SET number = excluded.number, hash = excluded.hash
        """,
        [
          .id(head.position.stream.raw), .id(head.device.raw), .flag(head.isOwn), .integer(number),
          .hash(head.position.hash.raw),
        ])
    }
  }
}

extension StoreWriter {
  /// Withdraws the segments of a stream from a number on: the remote has others under these numbers. The caller, who
  /// can open their records, must add these to the outbox. `covered` is the last segment of the stream that the
  /// snapshot of the epoch covers; nil if it covers none.
  package func withdrawSegments(
    of stream: StreamID, from number: UInt64, after covered: StreamPosition?
  ) throws(StoreError) {
    let values: [SQLValue] = [.id(stream.raw), .integer(Int64(clamping: number))]
    try connection.delete(from: .unadmitted, where: "stream = ?1 AND number >= ?2", values)
    try connection.delete(from: .segment, where: "stream = ?1 AND number >= ?2", values)
    try connection.changing(.stream, where: "stream = ?1", [.id(stream.raw)]) { () throws(StoreError) in
      try setEnd(of: stream, after: covered)
    }
  }

  /// Sets the head of a stream to its last segment, or to the one that the snapshot covers. Forgets that
  /// later numbers were reported: the segments that take them have to be reported as well.
  private func setEnd(of stream: StreamID, after covered: StreamPosition?) throws(StoreError) {
    let rows = try connection.statement(
      "SELECT number, hash FROM segment WHERE stream = ?1 ORDER BY number DESC LIMIT 1", [.id(stream.raw)])
    let last: (number: UInt64, hash: Bytes32)? =
      try rows.step()
      ? (try rows.unsigned(0, "segment.number"), try rows.bytes32(1, "segment.hash"))
      : covered.map { ($0.number, $0.hash.raw) }
    if let (number, hash) = last {
      try connection.run(
        "UPDATE stream SET number = ?2, hash = ?3, reported = min(reported, ?2) WHERE stream = ?1",
        [.id(stream.raw), .integer(Int64(clamping: number)), .hash(hash)])
    } else {
      try connection.run("DELETE FROM stream WHERE stream = ?1", [.id(stream.raw)])
    }
  }
}

/// The change to another epoch.
extension StoreWriter {
  /// Replaces the segments of a stream that a snapshot covers by their last position. A stream whose position is behind
  /// continues after it; an own one of this machine is then another machine's copy, and ends here. Later segments stay.
  ///
  /// The caller must have kept the contents of pending and refused records, see ``unadmittedSegments(of:through:)``.
  /// Throws ``StoreError/Code/alreadyExists`` if the stream belongs to another device.
  package func coverSegments(through covered: CoveredStream) throws(StoreError) {
    let stream = covered.position.stream
    let end: [SQLValue] = [.id(stream.raw), .integer(Int64(clamping: covered.position.number))]
    let held = try streamHead(of: stream)
    if held.map({ $0.position.number < covered.position.number }) ?? true,
      try setting(.ownStream) == stream.raw.bytes
    {
      try setSetting(.ownStream, nil)
    }
    try adoptStreamHead(StreamHead(position: covered.position, device: covered.device, isOwn: held?.isOwn ?? false))
    try connection.delete(from: .segment, where: "stream = ?1 AND number <= ?2", end)
    // Whoever reads the snapshot knows that its author has seen these segments.
    try markReported([covered.position])
  }

  /// Marks all segments as unpublished: on the branch of another epoch, the remote does not have them, unless the next
  /// import finds them there.
  package func unpublishSegments() throws(StoreError) { try connection.run("UPDATE segment SET published = NULL") }

  /// Sets the branch of the epoch that this machine follows. `opening` is the sealed closing of the epoch before.
  package func setEpoch(_ branch: EpochBranch, opening: [UInt8]) throws(StoreError) {
    try setSetting(.epochBranch, Array(branch.name.utf8))
    try setSetting(.epochOpening, opening)
  }
}
