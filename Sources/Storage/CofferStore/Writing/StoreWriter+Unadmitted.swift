internal import CofferCrypto
package import CofferFormat

/// Pending and refused records. A segment of the store keeps their contents, and the table `unadmitted` only their
/// hashes, so their number never stops a stream. Records in no segment of the store have a row of `record`.
extension StoreWriter {
  /// Records that a segment of the store contains a record that the log does not permit. Contents that were kept before
  /// the segment arrived are deleted. Returns false if the store knew the record already, as a valid one or as one that
  /// is not.
  @discardableResult
  package func insertUnadmitted(_ record: Record, _ row: UnadmittedRecord) throws(StoreError) -> Bool {
    guard try !isHeldAsValid(record) else { return false }
    var isNew = try !hasUnadmitted(row.hash)
    if try removeContents(of: record) {
      isNew = false
      try removeUnadmitted(row.hash)
    }
    try upsert(row)
    return isNew
  }

  /// Keeps the contents of a record that the log does not permit, and that is in no segment of the store. `row` is its
  /// place in a segment that does not follow the one before it; nil if no segment with it is known. Returns false if
  /// the store knew the record already.
  @discardableResult
  package func insertContents(of record: Record, _ row: UnadmittedRecord?) throws(StoreError) -> Bool {
    // A segment of the store has them, if only this row is there.
    let hasContents = try self.row(of: record.copyHash) != nil
    if !hasContents, try hasUnadmitted(record.copyHash) { return false }
    let isNew = try insert(record, standing: .unadmitted, intoOutbox: false)
    if let row, isNew || hasContents { try upsert(row) }
    return isNew
  }

  /// Takes a record out of the items that this machine has published and that the log does not permit, or not any more:
  /// other machines do not accept it either. Versions that only it covered become heads again. The record may be valid
  /// until now. `row` is its place in this machine's segment.
  package func suspend(_ record: Record, _ row: UnadmittedRecord) throws(StoreError) {
    if let held = try self.row(of: record.hash), held.standing == Standing.valid.rawValue { try remove(row: held.id) }
    try insertUnadmitted(record, row)
  }

  /// Removes the rows of a segment, whose records are evaluated again or withdrawn, and returns the hashes of their
  /// bytes.
  @discardableResult
  package func removeUnadmitted(in stream: StreamID, _ number: UInt64) throws(StoreError) -> Set<RecordHash> {
    let place: [SQLValue] = [.id(stream.raw), .integer(Int64(clamping: number))]
    let hashes = try connection.hashes("SELECT hash FROM unadmitted WHERE stream = ?1 AND number = ?2", place)
    if !hashes.isEmpty {
      try connection.delete(from: .unadmitted, where: "stream = ?1 AND number = ?2", place)
    }
    return hashes
  }

  /// Removes the contents of a record and its places, after its signature was found invalid. Does nothing if the row has
  /// become a valid record.
  package func removeContents(_ stored: StoredRecord) throws(StoreError) {
    guard let row = try row(stored.row), row.standing == Standing.unadmitted.rawValue else { return }
    try remove(row: row.id)
    try removeUnadmitted(row.hash)
  }

  /// Deletes the kept contents of a copy of a record that is in no segment of the store, and its places, by its
  /// ``Record/copyHash``. Returns false if the store keeps no such contents.
  package func discardContents(_ copy: RecordHash) throws(StoreError) -> Bool {
    guard let row = try row(of: copy), row.standing == Standing.unadmitted.rawValue else { return false }
    try remove(row: row.id)
    try removeUnadmitted(copy)
    return true
  }

  private func removeUnadmitted(_ hash: RecordHash) throws(StoreError) {
    try connection.delete(from: .unadmitted, where: "hash = ?1", [.hash(hash.raw)])
  }

  /// Deletes the kept contents of a record. Returns false if there are none.
  private func removeContents(of record: Record) throws(StoreError) -> Bool {
    guard let copy = try row(of: record.copyHash) else { return false }
    try remove(row: copy.id)
    return true
  }

  private func upsert(_ row: UnadmittedRecord) throws(StoreError) {
    let key = Array(row.values.prefix(3))
    try connection.changing(.unadmitted, where: "stream = ?1 AND number = ?2 AND hash = ?3", key) {
      () throws(StoreError) in
      try connection.run(
        """
        INSERT OR REPLACE INTO unadmitted (stream, number, hash, device, log, author, group_id, generation, authentic)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        """, row.values)
    }
  }
}
