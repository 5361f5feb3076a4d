internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// Imports the records of a snapshot.
extension Importer {
  /// What was found in a chunk.
  private struct Findings {
    var validCount = 0
    var faults: [String] = []
    var refused: [UnadmittedRecords.Entry: Int] = [:]
  }

  /// Imports the records of a chunk, which was compared with the checkpoint, and stores it, in one transaction.
  /// Superseded versions are imported with the whole snapshot: until then, it is not known what supersedes them. The
  /// author is the machine that made the snapshot.
  mutating func importRecords(of chunk: SnapshotChunk, by author: DeviceID, as blob: ObjectID) throws {
    let membership = try local.settledMembership()
    let entries = chunk.entries.compactMap(\.record)
    // Before the transaction, for which other programs wait.
    let records = ExaminedRecord.examine(entries.map(\.bytes), by: membership)
    let findings = try local.store.write { writer in
      try writer.insert(chunk, published: blob.bytes)
      var findings = Findings()
      for (entry, examined) in zip(entries, records) {
        do {
          try evaluate(examined.get(), entry.origin, membership, &findings, writer)
        } catch let error as FormatError {
          findings.faults.append(error.description)
        }
      }
      return findings
    }
    FaultPoint.reached(.chunkImported)
    report.recordsReceived += findings.validCount
    refusals.records.merge(findings.refused, uniquingKeysWith: +)
    for fault in findings.faults {
      report.add(.unusable, "a record in the snapshot of \(membership.name(of: author)) is ignored: \(fault)")
    }
  }

  private func evaluate(
    _ examined: ExaminedRecord, _ origin: SnapshotEntry.Origin?, _ membership: Membership, _ findings: inout Findings,
    _ writer: borrowing StoreWriter
  ) throws {
    let record = examined.record
    guard !record.header.isDeviceLocal else {
      throw FormatError(.invalidValue, object: "record", field: "device local")
    }
    switch examined.standing(in: membership) {
    case .valid: if try writer.insert(record, standing: .valid, intoOutbox: false) { findings.validCount += 1 }
    case .unknownAuthor, .notEntitled:
      let isAuthentic = membership.authors[record.header.author] != nil
      let place = origin.map { UnadmittedRecord(record, at: $0, isAuthentic: isAuthentic) }
      guard try record.bytes.count <= contentSpace(for: origin?.device, writer),
        try writer.insertContents(of: record, place)
      else { return }
      let isPending = try place.map { try $0.log > writer.publishedLogLength() } ?? false
      let isCutOff = membership.authors[record.header.author]?.cut(in: record.header.group) != nil
      guard !isPending || isCutOff else { return }
      let count = UnadmittedCount(
        author: record.header.author, group: record.header.group, device: origin?.device, isPending: false, count: 1)
      findings.refused[UnadmittedRecords.Entry(count, in: membership), default: 0] += 1
    case .invalid(let reason): findings.faults.append(reason)
    }
  }
}

extension SnapshotEntry {
  /// The bytes of a record with its contents, and where it was if it is pending; nil for a superseded one.
  fileprivate var record: (bytes: [UInt8], origin: Origin?)? {
    switch self {
    case .record(let bytes): (bytes, nil)
    case .pending(let bytes, let origin): (bytes, origin)
    case .skeleton: nil
    }
  }
}
