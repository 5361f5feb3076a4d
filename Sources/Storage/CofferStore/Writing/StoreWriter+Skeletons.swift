internal import CofferCrypto
package import CofferFormat
internal import CofferSystem

/// The signed bytes of superseded versions without their contents. They prove to this and to other machines what such a
/// version supersedes, so that an older one does not count again.
extension StoreWriter {
  /// Inserts a superseded version without its contents, unless the store has it already, and returns whether anything
  /// has changed. It covers its bases. Its signature was verified, and its author may write it.
  ///
  /// ``finishSkeletons()`` must follow in the same transaction.
  @discardableResult
  package func insert(_ skeleton: RecordSkeleton) throws(StoreError) -> Bool {
    let header = skeleton.header
    if try isHeld(skeleton) { return false }
    if let held = try row(of: skeleton.hash) {
      return try insertSkeleton(skeleton.bytes, of: held.id, supersededAt: 0)
    }
    let next = try nextRow()
    let row = RecordRow(
      id: next, hash: skeleton.hash, group: header.group, itemClass: Int64(header.itemClass.rawValue),
      isTombstone: header.isTombstone, validity: Schema.prunedValidity, isHead: false, bases: header.bases, tokens: [],
      place: ListPlace(created: header.orderTime.microseconds, arrival: next, item: header.item))
    let covered = try bases(of: row) { $0.isHead }
    try insertRow(row, header, [[], [], []])
    try insertSkeleton(skeleton.bytes, of: next, supersededAt: 0)
    try changeHeads(losing: covered, gaining: [], isInserted: true)
    return true
  }

  /// Whether the store has a version already, with its contents or with the bytes that prove it.
  package func isHeld(_ skeleton: RecordSkeleton) throws(StoreError) -> Bool {
    guard let held = try row(of: skeleton.hash) else { return false }
    guard held.validity == Schema.prunedValidity else { return true }
    return try connection.integer("SELECT 1 FROM skeleton WHERE record = ?1", [.integer(held.id)]) != nil
  }

  /// Removes the inserted versions that nothing supersedes, because an item must not lose its current version, and sets
  /// the time at which the others were superseded: that of the version that supersedes them, as far as it has passed,
  /// and not before their own. A tombstone that covers many heads has a time before theirs. Returns the number of
  /// removed versions.
  @discardableResult
  package func finishSkeletons() throws(StoreError) -> Int {
    var removedCount = 0
    var uncovered = try uncoveredSkeletons()
    while let number = uncovered.popLast() {
      guard let removed = try row(number) else { continue }
      try remove(row: number)
      removedCount += 1
      // Each of a long chain is looked at once.
      for base in removed.bases {
        guard let held = try row(of: base) else { continue }
        uncovered += try uncoveredSkeletons("AND s.record = ?1", [.integer(held.id)])
      }
    }
    try connection.run(
      """
      UPDATE skeleton SET superseded = max(1, min(?1, (
        SELECT ifnull(max(max(r.time), max(b.time)), ?1) FROM record b CROSS JOIN edge e ON e.base = b.hash
        CROSS JOIN record r ON r.id = e.record AND r.item = b.item AND r.group_id = b.group_id
        WHERE b.id = skeleton.record)))
      WHERE superseded = 0
      """, [.integer(WallClock.now)])
    return removedCount
  }

  /// Returns the inserted versions that nothing supersedes.
  private func uncoveredSkeletons(_ filter: String = "", _ values: [SQLValue] = []) throws(StoreError) -> [Int64] {
    try connection.rows(
      """
      SELECT s.record FROM skeleton s CROSS JOIN record b ON b.id = s.record
      WHERE s.superseded = 0 \(filter) AND b.standing = 3 AND NOT EXISTS (
        SELECT 1 FROM edge e CROSS JOIN record r ON r.id = e.record
        WHERE e.base = b.hash AND r.standing IN (1, 3) AND r.item = b.item AND r.group_id = b.group_id)
      """, values
    ) { (row) throws(StoreError) in row.integer(0) }
  }

  /// Keeps the signed bytes of a row whose contents are about to be deleted.
  func keepSkeleton(ofRow row: Int64, supersededAt time: Int64) throws(StoreError) {
    guard let signed = try connection.bytes("SELECT signed FROM record WHERE id = ?1", [.integer(row)]) else { return }
    try insertSkeleton(signed, of: row, supersededAt: max(time, 1))
  }

  @discardableResult
  private func insertSkeleton(
    _ signed: [UInt8], of row: Int64, supersededAt time: Int64
  ) throws(StoreError) -> Bool {
    let count = try connection.run(
      "INSERT OR IGNORE INTO skeleton (record, superseded, signed) VALUES (?1, ?2, ?3)",
      [.integer(row), .integer(time), .blob(signed)])
    try connection.recordInsertion(count, into: .skeleton, [.integer(row)])
    return count > 0
  }

  /// Whether the version of a row was pruned, and these are its signed bytes, with the signature that was verified.
  func isSkeleton(_ signed: [UInt8], of row: Int64) throws(StoreError) -> Bool {
    try connection.integer(
      "SELECT 1 FROM skeleton WHERE record = ?1 AND signed = ?2", [.integer(row), .blob(signed)]) != nil
  }

  func removeSkeleton(_ row: Int64) throws(StoreError) {
    let count = try connection.run("DELETE FROM skeleton WHERE record = ?1", [.integer(row)])
    try connection.recordDeletion(count, from: .skeleton, [.integer(row)])
  }
}
