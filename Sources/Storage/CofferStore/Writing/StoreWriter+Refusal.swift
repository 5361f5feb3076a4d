package import CofferFormat

extension StoreWriter {
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
