internal import CofferCrypto
internal import CofferFormat

/// Checks the snapshot of the epoch, and the signed bytes of superseded versions.
extension StoreCheck {
  /// Checks the chunks, and takes the positions of the streams and the records of the snapshot.
  func checkSnapshot() throws(StoreError) {
    try checkObjectNames()
    let pruned = try prunedHashes()
    try checkSkeletons(pruned)
    try collectNextRecords()
    guard let checkpoint = context.epoch.checkpoint else {
      if !context.epoch.isKnown {
        add(StoreDifference("checkpoint", "the checkpoint of epoch \(context.epoch.number) is damaged", .remote))
      }
      return
    }
    for stream in checkpoint.streams {
      streamEnds[stream.position.stream] = StreamEnd(
        number: stream.position.number, hash: stream.position.hash, device: stream.device)
    }
    var missing = Set(checkpoint.chunks.indices)
    var damaged: [StoredObject.Key] = []
    for object in try reader.objects(.chunk) {
      guard case .chunk(let number, checkpoint.epoch) = object.key else { continue }
      step()
      guard checkpoint.chunks.indices.contains(Int(number)), let bytes = try reader.object(object.key),
        let chunk = try? SnapshotChunk(bytes: bytes), chunk.hash == checkpoint.chunks[Int(number)]
      else {
        damaged.append(object.key)
        continue
      }
      missing.remove(Int(number))
      try collectRecords(of: chunk, pruned)
    }
    add(missing.count, "chunks of the snapshot are missing or damaged", in: "chunk", .remote)
    if missing.isEmpty { add(damaged.count, "rows are no chunk of the snapshot", in: "chunk") }
    for key in damaged { try repair("DELETE FROM object WHERE kind = ?1 AND name = ?2", key.values) }
  }

  /// Removes rows that no program of Coffer has written.
  private func checkObjectNames() throws(StoreError) {
    let nameless = """
      FROM object WHERE length(name) IS NOT
        CASE kind WHEN 'record_list' THEN 32 WHEN 'root_slot' THEN 32 WHEN 'checkpoint' THEN 4 WHEN 'chunk' THEN 8 END
      """
    try delete(nameless, "rows name no object", in: "object")
  }

  /// Adds the difference of rows that should not be there, and deletes them.
  private func delete(_ rows: String, _ problem: String, in table: String) throws(StoreError) {
    let count = Int(try connection.integer("SELECT count(*) \(rows)") ?? 0)
    add(count, problem, in: table)
    if count > 0 { try repair("DELETE \(rows)", []) }
  }

  /// Takes the records of the next epoch's chunks, which belong to a move that was interrupted. The chunks are compared
  /// with their checkpoint by the sync that goes on with the move.
  private func collectNextRecords() throws(StoreError) {
    for object in try reader.objects(.chunk) {
      guard case .chunk(_, let epoch) = object.key, epoch > context.epoch.number,
        let chunk = try reader.object(object.key).flatMap({ try? SnapshotChunk(bytes: $0) })
      else { continue }
      nextRecords.formUnion(records(of: chunk).map(\.hash))
    }
  }

  private func records(of chunk: SnapshotChunk) -> [Record] {
    chunk.entries.compactMap { entry in
      guard case .record(let bytes) = entry, let record = try? Record(bytes: bytes), !record.header.isDeviceLocal
      else { return nil }
      return record
    }
  }

  private func collectRecords(of chunk: SnapshotChunk, _ pruned: Set<RecordHash>) throws(StoreError) {
    for record in records(of: chunk) {
      sealed[record.hash] = .chunk(chunk.number)
      if pruned.contains(record.hash) { try checkPrunedColumns(of: record.hash, record.header) }
    }
  }

  // MARK: Superseded versions

  /// Compares the rows of pruned versions with their signed bytes, and removes bytes that nobody signed.
  private func checkSkeletons(_ pruned: Set<RecordHash>) throws(StoreError) {
    var forged: [Int64] = []
    let rows = try connection.freshStatement(
      "SELECT s.record, s.signed, r.hash FROM skeleton s JOIN record r ON r.id = s.record WHERE r.standing = 3", [])
    while try rows.step() {
      guard let skeleton = try? RecordSkeleton(bytes: rows.bytes(1)), rows.bytes(2) == skeleton.hash.raw.bytes,
        context.isGenuine(skeleton)
      else {
        forged.append(rows.integer(0))
        continue
      }
      if skeleton.header.isDeviceLocal { prunedLocalRows.insert(rows.integer(0)) }
      if pruned.contains(skeleton.hash) { try checkPrunedColumns(of: skeleton.hash, skeleton.header) }
    }
    guard !forged.isEmpty else { return }
    let text = "the signatures of \(forged.count) old versions are damaged"
    add(StoreDifference("skeleton", text, .lost, count: forged.count))
    for row in forged { try repair("DELETE FROM skeleton WHERE record = ?1", [.integer(row)]) }
  }

  /// Removes signed bytes that belong to no pruned version.
  func checkSurplusSkeletons() throws(StoreError) {
    let surplus = "FROM skeleton WHERE record NOT IN (SELECT id FROM record WHERE standing = 3)"
    try delete(surplus, "rows belong to no old version", in: "skeleton")
  }
}

/// Compares the places of pending and refused records with the segments.
extension StoreCheck {
  /// Compares the rows of `unadmitted`. Rows that were not validated against the last entry of the log are not
  /// compared: the next sync reads their segments.
  func checkUnadmitted() throws(StoreError) {
    guard context.isRevalidated else { return }
    // A record of this machine that stays valid has no place.
    var missing = unadmitted.filter { rows[$0.value] == nil }
    var wrong: [[SQLValue]] = []
    let found = try connection.freshStatement(
      "SELECT \(UnadmittedRecord.columns) FROM unadmitted", [])
    while try found.step() {
      if let row = UnadmittedRecord(found) {
        if missing.removeValue(forKey: row) != nil { continue }
        // Its segment does not follow the one before it, and is not in the store.
        if keptCopies.contains(row.hash), !isSegmentHeld(row.stream, row.number) { continue }
      }
      wrong.append([.blob(found.bytes(0)), .integer(found.integer(1)), .blob(found.bytes(2))])
    }
    add(wrong.count, "rows belong to no pending or refused record", in: "unadmitted")
    add(missing.count, "rows are missing", in: "unadmitted")
    for key in wrong {
      try repair("DELETE FROM unadmitted WHERE stream = ?1 AND number = ?2 AND hash = ?3", key)
    }
    for row in missing.keys { try repair("INSERT INTO \(UnadmittedRecord.row)", row.values) }
  }

  /// Whether a segment is in the store, damaged or not.
  private func isSegmentHeld(_ stream: StreamID, _ number: UInt64) -> Bool {
    if let covered = context.epoch.checkpoint?.end(of: stream), number <= covered.position.number { return false }
    return streamEnds[stream].map { number <= $0.number } ?? false || brokenStreams.contains(stream)
  }
}
