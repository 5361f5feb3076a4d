package import CofferFormat
package import CofferStore
package import CofferTrust

extension StoreAccess where Self: ~Copyable {
  /// Calls `body` once with each refused record that the store has: those in segments, and those whose contents are
  /// kept. Those that were discarded are left out. The membership decides anew whether a record counts.
  package func forEachRefusedRecord(
    in membership: Membership, openedBy device: DeviceFile, _ body: (Record) throws -> Void
  ) throws {
    var seen: Set<RecordHash> = []
    try forEachRefusedCopy(in: membership, openedBy: device) { record in
      switch membership.standing(of: record) {
      case .notEntitled, .unknownAuthor: if seen.insert(record.hash).inserted { try body(record) }
      case .valid, .invalid: break
      }
    }
  }

  /// Calls `body` once with each copy of a refused record that the store has and that was not discarded. Copies of one
  /// record differ in their signatures, which are not verified. The membership says whose records are refused in any
  /// case.
  package func forEachRefusedCopy(
    in membership: Membership, openedBy device: DeviceFile, _ body: (Record) throws -> Void
  ) throws {
    var seen = try DiscardedRecords.load(from: self).copies
    func visit(_ record: Record) throws { if seen.insert(record.copyHash).inserted { try body(record) } }
    let places = try refusedPlaces(
      after: publishedLogLength(), isCutOff: { membership.authors[$0]?.cut(in: $1) != nil })
    let refused = places.reduce(into: Set<RecordHash>()) { $0.formUnion($1.copies) }
    for place in places {
      guard let segment = try segment(place.stream, place.number)?.segment(openedBy: device) else { continue }
      for bytes in segment.records {
        guard let record = try? Record(bytes: bytes), place.copies.contains(record.copyHash) else { continue }
        try visit(record)
      }
    }
    var last: Int64? = .min
    while let row = last {
      let page = try unadmittedContents(after: row, byteLimit: Limits.segmentPayloadByteCount)
      for stored in page {
        guard let record = try? stored.record() else { continue }
        // Others wait for entries of the log.
        guard try refused.contains(record.copyHash) || !hasUnadmitted(record.copyHash) else { continue }
        try visit(record)
      }
      last = page.last?.row
    }
  }
}
