internal import CofferCrypto
internal import CofferFormat

/// Compares the places of pending and refused records with the segments.
extension StoreCheck {
  /// Compares the rows of `unadmitted`. Rows that were not validated against the last entry of the log are not compared:
  /// the next sync reads their segments.
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
    if !wrong.isEmpty {
      add(
        StoreDifference(
          "unadmitted", "\(wrong.count) rows belong to no pending or refused record", .derived, count: wrong.count))
    }
    if !missing.isEmpty {
      add(StoreDifference("unadmitted", "\(missing.count) rows are missing", .derived, count: missing.count))
    }
    for key in wrong {
      try repair("DELETE FROM unadmitted WHERE stream = ?1 AND number = ?2 AND hash = ?3", key)
    }
    for row in missing.keys {
      try repair(
        """
        INSERT INTO unadmitted (stream, number, hash, device, log, author, group_id, generation, authentic)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        """, row.values)
    }
  }

  /// Whether a segment is in the store, damaged or not.
  private func isSegmentHeld(_ stream: StreamID, _ number: UInt64) -> Bool {
    if let covered = context.epoch.checkpoint?.end(of: stream), number <= covered.position.number { return false }
    return streamEnds[stream].map { number <= $0.number } ?? false || brokenStreams.contains(stream)
  }
}
