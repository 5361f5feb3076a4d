internal import CofferCrypto
internal import CofferFormat

/// Checks the snapshot of the epoch, and the signed bytes of superseded versions.
extension StoreCheck {
  /// Checks the chunks, and takes the positions of the streams and the records of the snapshot.
  func checkSnapshot() throws(StoreError) {
    let pruned = try prunedHashes()
    try checkSkeletons(pruned)
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
    var damaged: [Int64] = []
    var places: [(row: Int64, number: Int)] = []
    // Chunks of the next epoch belong to a move that was interrupted.
    let listed = try connection.statement(
      "SELECT id, number FROM chunk WHERE epoch = ?1 ORDER BY number", [.integer(Int64(checkpoint.epoch))])
    while try listed.step() { places.append((listed.integer(0), Int(clamping: listed.integer(1)))) }
    for (row, number) in places {
      step()
      guard checkpoint.chunks.indices.contains(number),
        let bytes = try connection.bytes("SELECT object FROM chunk WHERE id = ?1", [.integer(row)]),
        let chunk = try? SnapshotChunk(bytes: bytes), chunk.hash == checkpoint.chunks[number],
        try connection.bytes("SELECT hash FROM chunk WHERE id = ?1", [.integer(row)]) == chunk.hash.bytes
      else {
        damaged.append(row)
        continue
      }
      missing.remove(number)
      try collectRecords(of: chunk, inRow: row, pruned)
    }
    if !missing.isEmpty {
      let text = "\(missing.count) chunks of the snapshot are missing or damaged"
      add(StoreDifference("chunk", text, .remote, count: missing.count))
    } else if !damaged.isEmpty {
      let text = "\(damaged.count) rows are no chunk of the snapshot"
      add(StoreDifference("chunk", text, .derived, count: damaged.count))
    }
    for row in damaged { try repair("DELETE FROM chunk WHERE id = ?1", [.integer(row)]) }
  }

  private func collectRecords(
    of chunk: SnapshotChunk, inRow row: Int64, _ pruned: Set<RecordHash>
  ) throws(StoreError) {
    for entry in chunk.entries {
      guard case .record(let bytes) = entry, let record = try? Record(bytes: bytes), !record.header.isDeviceLocal
      else { continue }
      sealed[record.hash] = .chunk(row: row)
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
    let count = Int(try connection.integer("SELECT count(*) \(surplus)") ?? 0)
    guard count > 0 else { return }
    add(StoreDifference("skeleton", "\(count) rows belong to no old version", .derived, count: count))
    try repair("DELETE \(surplus)", [])
  }
}
