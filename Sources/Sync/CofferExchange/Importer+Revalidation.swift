internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// Validates pending and refused records again.
extension Importer {
  /// Validates pending and refused records again if the log has changed since the last time: those in segments of the
  /// store by reading the segments, and those whose contents are kept. Works in steps, and starts again from the first if
  /// it was interrupted.
  mutating func revalidateRecords() throws {
    let membership = try local.settledMembership()
    let head = membership.head.hash.raw.bytes
    let validated = try local.store.read { try $0.setting(.validatedLog) }
    guard try validated != head || !hasApplied(membership) else { return }
    try applyRevocations(of: membership)
    let segments = try local.store.read { reader in
      // After a repair, it is not known in which segments they are.
      validated == nil
        ? try reader.allSegments()
        : try reader.segmentsToRevalidate(
          isAuthor: { membership.authors[$0] != nil },
          isPermitted: { membership.mayPermit($0, toWrite: $1, generation: $2) })
    }
    for (stream, number) in segments { try revalidateRecords(ofSegment: number, in: stream) }
    try revalidateContents(upTo: head)
  }

  private mutating func revalidateRecords(ofSegment number: UInt64, in stream: StreamID) throws {
    report.recordsReceived += try local.store.write { writer in
      // A segment that is damaged here is restored from the remote, and its records are evaluated then.
      guard let stored = try writer.segment(stream, number), let segment = try? open(stored.envelope),
        segment.position == stored.position
      else { return 0 }
      let membership = try local.settledLog(in: writer).membership
      let records = ExaminedRecord.examine(segment.records, by: membership)
      return try evaluate(records, of: segment, isStored: true, by: membership, writer).validCount
    }
    FaultPoint.reached(.recordsRevalidated)
  }

  private mutating func revalidateContents(upTo head: [UInt8]) throws {
    var last: Int64? = .min
    while let row = last {
      let (page, count) = try local.store.write { writer in
        let membership = try local.settledLog(in: writer).membership
        let page = try writer.unadmittedContents(after: row, byteLimit: Limits.segmentPayloadByteCount)
        var count = 0
        for row in page {
          // A row that is damaged here is reported when its item is read. It must not stop the validation of the
          // others.
          guard let record = try? row.record() else { continue }
          switch membership.standing(of: record) {
          case .valid:
            let isNew = try writer.admit(record, from: row) { device, stream, number in
              membership.devices[device]?.ends(stream, before: number) ?? false
            }
            if isNew { count += 1 }
          case .unknownAuthor, .notEntitled: break
          case .invalid: try writer.removeContents(row)
          }
        }
        if page.isEmpty {
          try writer.setSetting(.validatedLog, head)
          // Root may have ended a fork in favour of the branch that does not refuse them.
          try writer.setSetting(.refusedFiles, nil)
        }
        return (page.last?.row, count)
      }
      report.recordsReceived += count
      last = page
      FaultPoint.reached(.recordsRevalidated)
    }
  }
}
