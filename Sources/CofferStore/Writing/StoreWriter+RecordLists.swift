package import CofferCrypto
package import CofferFormat

/// The lists of records that stay valid after revocations.
extension StoreWriter {
  /// Stores a list, unless the store has it already. `published` is the identifier of its file on the remote; nil if
  /// the remote does not have it.
  package func insert(_ list: RecordList, published: [UInt8]?) throws(StoreError) {
    connection.logChanges.increment()
    try connection.run(
      """
      INSERT INTO record_list (hash, published, object) VALUES (?1, ?2, ?3)
      ON CONFLICT (hash) DO UPDATE SET object = excluded.object, published = coalesce(excluded.published, published)
      """,
      [.hash(list.hash), .optionalBlob(published), .blob(list.bytes)])
  }

  /// Marks a list as published, under the identifier of its file on the remote.
  package func markRecordListPublished(_ hash: Bytes32, as file: [UInt8]) throws(StoreError) {
    try connection.run(
      "UPDATE record_list SET published = ?2 WHERE hash = ?1", [.hash(hash), .blob(file)])
  }

  /// Deletes a list that no entry of the log names any more.
  package func deleteRecordList(_ hash: Bytes32) throws(StoreError) {
    connection.logChanges.increment()
    try connection.run("DELETE FROM record_list WHERE hash = ?1", [.hash(hash)])
  }

  /// Takes a valid record out of the items because its author's right has ended, and keeps its contents as those of a
  /// refused one. Versions that only it covered become heads again. If it has no places in segments of the store, its
  /// contents are kept in a row of their own.
  package func refuse(_ hash: RecordHash, at places: [UnadmittedRecord]) throws(StoreError) {
    guard let row = try row(of: hash), row.standing != Standing.unadmitted.rawValue else { return }
    let record = try record(hash).flatMap { try? $0.record() }
    try remove(row: row.id)
    // Of a pruned version, nothing is left to keep.
    guard let record else { return }
    for place in places { try insertUnadmitted(record, place) }
    if places.isEmpty { try insertContents(of: record, nil) }
  }
}
