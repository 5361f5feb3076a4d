internal import CofferCrypto
internal import CofferFormat

/// Checks the segments: each must open, be signed, and follow the one before it, if that is held.
extension StoreCheck {
  private struct SegmentRow {
    let row: Int64
    let stream: StreamID
    let number: UInt64
  }

  func checkSegments() throws(StoreError) {
    let pruned = try prunedHashes()
    var rows: [SegmentRow] = []
    let listed = try connection.statement("SELECT id, stream, number FROM segment ORDER BY stream, number")
    while try listed.step() {
      let row = listed.integer(0)
      guard let stream = Bytes16(listed.bytes(1)), let number = UInt64(exactly: listed.integer(2)) else {
        add(StoreDifference("segment", "row \(row) is malformed", .remote))
        cutSegments.append(row)
        continue
      }
      rows.append(SegmentRow(row: row, stream: StreamID(stream), number: number))
    }
    var damaged: [StreamID: Int] = [:]
    for row in rows {
      step()
      let end = streamEnds[row.stream]
      if let covered = context.epoch.checkpoint?.end(of: row.stream), row.number <= covered.position.number {
        let text = "segment \(row.number) of stream \(row.stream) is in the snapshot"
        add(StoreDifference("segment", text, .derived))
        cutSegments.append(row.row)
        continue
      }
      guard let segment = try open(row), end?.isFollowed(by: segment) ?? true else {
        add(StoreDifference("segment", "segment \(row.number) of stream \(row.stream) is damaged", .remote))
        damaged[row.stream, default: 0] += 1
        brokenStreams.insert(row.stream)
        cutSegments.append(row.row)
        continue
      }
      // Without the checkpoint, it is not known where the segments begin.
      let start = context.epoch.isKnown ? 0 : row.number
      let absent = Int(clamping: row.number - (end.map { $0.number + 1 } ?? start)) - (damaged[row.stream] ?? 0)
      add(absent, "segments of stream \(row.stream) before segment \(row.number) are missing", in: "segment", .remote)
      damaged[row.stream] = 0
      streamEnds[row.stream] = StreamEnd(number: segment.number, hash: segment.hash, device: segment.device)
      try checkColumns(of: row, segment)
      try collectRecords(of: segment, in: row.row, pruned)
    }
  }

  private func open(_ row: SegmentRow) throws(StoreError) -> Segment? {
    guard let envelope = try connection.bytes("SELECT envelope FROM segment WHERE id = ?1", [.integer(row.row)]),
      let segment = context.openSegment(envelope), segment.stream == row.stream, segment.number == row.number
    else { return nil }
    return segment
  }

  private func checkColumns(of row: SegmentRow, _ segment: Segment) throws(StoreError) {
    let isEqual = try connection.integer(
      "SELECT hash = ?2 AND device = ?3 FROM segment WHERE id = ?1",
      [.integer(row.row), .hash(segment.hash.raw), .id(segment.device.raw)])
    guard isEqual != 1 else { return }
    add(StoreDifference("segment", "the columns of segment \(row.number) of stream \(row.stream) are wrong", .derived))
    try repair(
      "UPDATE segment SET hash = ?2, device = ?3 WHERE id = ?1",
      [.integer(row.row), .hash(segment.hash.raw), .id(segment.device.raw)])
  }

  private func collectRecords(of segment: Segment, in row: Int64, _ pruned: Set<RecordHash>) throws(StoreError) {
    if context.mayClaim(segment.device) { claimedLog = max(claimedLog, segment.log.sequence) }
    if segment.device == context.device {
      for seen in segment.seen { reported[seen.stream] = max(reported[seen.stream] ?? 0, seen.number) }
    }
    for bytes in segment.records {
      guard let record = try? Record(bytes: bytes), record.header.group == segment.group, !record.header.isDeviceLocal
      else { continue }
      sealed[record.hash] = .segment(row: row)
      if !context.permits(record), context.verdict(record) == .unadmitted {
        let place = UnadmittedRecord(record, in: segment, isAuthentic: context.isAuthor(record.header.author))
        unadmitted[place] = record.hash
        unadmittedCopies.insert(place.hash)
      }
      if pruned.contains(record.hash) { try checkPrunedColumns(of: record.hash, record.header) }
    }
  }

  func prunedHashes() throws(StoreError) -> Set<RecordHash> {
    try connection.hashes("SELECT hash FROM record WHERE standing = 3 AND length(signed) = 0")
  }

  /// Compares the row of a pruned record with its signed header.
  func checkPrunedColumns(of hash: RecordHash, _ header: RecordHeader) throws(StoreError) {
    guard comparedPruned.insert(hash).inserted else { return }
    let isEqual = try connection.integer(
      """
      SELECT group_id = ?2 AND item = ?3 AND class = ?4 AND tombstone = ?5 AND time = ?6 AND author = ?7 AND bases = ?8
        AND created = ?9
      FROM record WHERE hash = ?1
      """, columns(of: hash, header))
    guard isEqual != 1 else { return }
    add(
      StoreDifference(
        "record", "the columns of an old version are wrong", .derived, group: header.group, item: header.item))
    try repair(
      """
      UPDATE record SET group_id = ?2, item = ?3, class = ?4, tombstone = ?5, time = ?6, author = ?7, bases = ?8,
        created = ?9
      WHERE hash = ?1
      """, columns(of: hash, header))
  }

  private func columns(of hash: RecordHash, _ header: RecordHeader) -> [SQLValue] {
    [
      .hash(hash.raw), .id(header.group.raw), .id(header.item.raw), .integer(Int64(header.itemClass.rawValue)),
      .flag(header.isTombstone), .integer(header.time.microseconds), .id(header.author.raw),
      .blob(header.bases.flatMap(\.raw.bytes)), .integer(header.orderTime.microseconds),
    ]
  }

  /// Returns a record from the segment or the chunk that holds it. Keeps the last one open, because neighbouring rows
  /// are often in the same one.
  func sealedRecord(_ hash: RecordHash) throws(StoreError) -> Record? {
    guard let container = sealed[hash] else { return nil }
    if opened?.container != container {
      var records: [RecordHash: Record] = [:]
      for bytes in try contents(of: container) {
        if let record = try? Record(bytes: bytes) { records[record.hash] = record }
      }
      opened = (container, records)
    }
    return opened?.records[hash]
  }

  private func contents(of container: Container) throws(StoreError) -> [[UInt8]] {
    switch container {
    case .segment(let row):
      guard let envelope = try connection.bytes("SELECT envelope FROM segment WHERE id = ?1", [.integer(row)]) else {
        return []
      }
      return context.openSegment(envelope)?.records ?? []
    case .chunk(let number):
      guard let bytes = try reader.object(.chunk(number, epoch: context.epoch.number)),
        let chunk = try? SnapshotChunk(bytes: bytes)
      else { return [] }
      return chunk.entries.compactMap { if case .record(let bytes) = $0 { bytes } else { nil } }
    }
  }

  // MARK: Streams

  /// Compares the stream rows with the last segments, and deletes damaged segments. The next sync fetches these, and
  /// those after the last one.
  func checkStreams() throws(StoreError) {
    let own = try reader.setting(.ownStream).flatMap { Bytes16($0) }
    var found: Set<StreamID> = []
    var wrong: [Bytes16?] = []
    let rows = try connection.statement("SELECT stream, number, hash, device, own, reported FROM stream")
    while try rows.step() {
      guard let raw = Bytes16(rows.bytes(0)), let end = streamEnds[StreamID(raw)] else {
        let raw = Bytes16(rows.bytes(0))
        // Without the checkpoint, it is not known which streams it covers.
        guard context.epoch.isKnown else { continue }
        wrong.append(raw)
        // Segments that are damaged have been reported.
        if let raw, brokenStreams.contains(StreamID(raw)) { continue }
        let name = raw.map { "stream \(StreamID($0))" } ?? "a stream without an identifier"
        add(
          StoreDifference(
            "segment", "all segments of \(name) are missing", .remote,
            count: Int(clamping: max(rows.integer(1), 0)) + 1))
        continue
      }
      let stream = StreamID(raw)
      let isOwn = end.device == context.device
      let number = UInt64(clamping: rows.integer(1))
      let covered = context.epoch.checkpoint?.end(of: stream)?.position.number
      let farthest = max(reported[stream].map { Int64(clamping: $0) } ?? -1, covered.map { Int64(clamping: $0) } ?? -1)
      guard number == end.number, rows.bytes(2) == end.hash.raw.bytes, rows.bytes(3) == end.device.raw.bytes,
        isOwn || !rows.flag(4), rows.integer(5) <= farthest || !context.epoch.isKnown
      else {
        wrong.append(raw)
        if brokenStreams.contains(stream) { continue }
        let isShort = rows.integer(1) >= 0 && number > end.number
        add(
          isShort
            ? StoreDifference(
              "segment", "segments \(end.number + 1) to \(number) of stream \(stream) are missing", .remote,
              count: Int(clamping: number - end.number))
            : StoreDifference("stream", "the position in stream \(stream) is wrong", .derived))
        continue
      }
      found.insert(stream)
    }
    for stream in streamEnds.keys.sorted() where !found.contains(stream) && !wrong.contains(stream.raw) {
      add(StoreDifference("stream", "the position in stream \(stream) is missing", .derived))
    }
    guard isRepairing else { return }
    try connection.run("DELETE FROM stream WHERE length(stream) <> 16")
    for raw in wrong { if let raw { try connection.run("DELETE FROM stream WHERE stream = ?1", [.id(raw)]) } }
    for (stream, end) in streamEnds where !found.contains(stream) {
      try connection.run(
        "INSERT INTO stream (stream, device, own, number, hash, reported) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        [
          .id(stream.raw), .id(end.device.raw), .flag(end.device == context.device && stream.raw == own),
          .integer(Int64(clamping: end.number)), .hash(end.hash.raw),
          .integer(reported[stream].map { Int64(clamping: $0) } ?? -1),
        ])
    }
    for row in cutSegments { try connection.run("DELETE FROM segment WHERE id = ?1", [.integer(row)]) }
    // A stream that ends elsewhere than before may have other segments on the remote under the next numbers, and
    // another machine's stream must not be continued.
    let isOwnUsable = own.map { found.contains(StreamID($0)) && streamEnds[StreamID($0)]?.device == context.device }
    if isOwnUsable == false { try connection.run("DELETE FROM setting WHERE name = 'own-stream'") }
  }
}
