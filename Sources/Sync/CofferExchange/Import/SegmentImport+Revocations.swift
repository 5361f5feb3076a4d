internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// Takes what a revocation ends out of the store.
extension SegmentImport {
  /// Withdraws the segments that revoked machines wrote later than the log allows, and takes the records out of the
  /// items that are not listed. Does nothing for revocations that were applied before.
  mutating func applyRevocations(of membership: Membership) throws {
    let applied = try local.store.read { try $0.appliedRevocations() }
    guard applied != membership.revocations.map(\.position.hash) else { return }
    let fresh = membership.revocations.filter { !applied.contains($0.position.hash) }
    for machine in fresh.flatMap(\.statement.machines) { try withdrawSegments(of: machine.device, in: membership) }
    let refused = try refuseRecords(of: Set(fresh.flatMap(\.statement.authors).map(\.author)), by: membership)
    if refused > 0 {
      report.add(.refused, "\(refused) records of revoked machines and apps are refused; see: coffer refused")
    }
    // One that is not in effect any more, because a list is damaged here or the log has forked, is applied again later.
    try local.store.write { try $0.setAppliedRevocations(of: membership) }
  }

  /// Whether each revocation of a membership was applied to the items, and no other one. The head of a forked log stays
  /// the same when another branch revokes something.
  func hasApplied(_ membership: Membership) throws -> Bool {
    try local.store.read { try $0.appliedRevocations() } == membership.revocations.map(\.position.hash)
  }

  /// Withdraws the segments of a revoked machine that a host showed to this machine before the revocation.
  private mutating func withdrawSegments(of device: DeviceID, in membership: Membership) throws {
    guard let machine = membership.devices[device] else { return }
    let heads = try local.store.read { try $0.streamHeads() }.filter { $0.device == device }
    for head in heads where membership.refusal(of: .segment(head.position), by: device) != nil {
      let stream = head.position.stream
      try local.store.write { writer in
        var first: UInt64 = 0
        if let last = machine.lastSegments[stream], try writer.segment(stream, last.number)?.position == last {
          first = last.number + 1
        }
        try writer.forEachSegment(of: stream) { stored in
          guard stored.position.number >= first, let segment = stored.segment(openedBy: self.device) else { return }
          try keepUnadmittedRecords(of: segment, writer)
          // What others wrote is in no segment any more: this machine sends it in its own.
          for record in segment.records.compactMap({ try? Record(bytes: $0) }) where membership.permits(record) {
            try writer.resend(record)
          }
        }
        try writer.withdrawSegments(of: stream, from: first, after: checkpoint?.end(of: stream)?.position)
      }
    }
  }

  /// Takes the records of cut authors out of the items, unless a list contains them. Returns their number.
  private func refuseRecords(of authors: Set<AuthorID>, by membership: Membership) throws -> Int {
    try local.store.write { writer in
      var unlisted: Set<RecordHash> = []
      for author in authors {
        for record in try writer.validRecords(by: author)
        where !membership.permits(author, toWrite: record.hash, in: record.group) {
          unlisted.insert(record.hash)
        }
      }
      guard !unlisted.isEmpty else { return 0 }
      // Versions that are current again may be so old that their contents were deleted, and so may those that have
      // superseded them.
      let bases = try Set(unlisted.flatMap { try writer.bases(of: $0) }).subtracting(unlisted)
      var former: [Record] = []
      var found: Set<RecordHash> = []
      try writer.forEachSegment(openedBy: device) { segment in
        for bytes in segment.records {
          guard let record = try? Record(bytes: bytes) else { continue }
          if bases.contains(record.hash) { former.append(record) }
          guard unlisted.contains(record.hash) else { continue }
          try writer.suspend(record, UnadmittedRecord(record, in: segment, isAuthentic: true))
          found.insert(record.hash)
        }
      }
      for hash in unlisted.subtracting(found) { try writer.suspend(hash) }
      if !bases.isEmpty { former += try recordsOfSnapshot(writer) { bases.contains($0) } }
      for record in former where membership.validity(of: record) == .valid {
        try writer.insert(record, validity: .valid, intoOutbox: false)
      }
      return unlisted.count
    }
  }

  /// Reads records of the snapshot with which this epoch begins.
  private func recordsOfSnapshot(
    _ reader: borrowing StoreWriter, where isWanted: (RecordHash) -> Bool
  ) throws -> [Record] {
    guard let checkpoint else { return [] }
    return try checkpoint.chunks.indices.flatMap { index -> [Record] in
      let bytes = try reader.object(.chunk(UInt32(index), epoch: checkpoint.epoch))
      return (bytes.flatMap { try? SnapshotChunk(bytes: $0) }?.entries ?? []).compactMap { entry in
        // A pending record may count since.
        entry.record.flatMap { try? Record(bytes: $0.bytes) }.flatMap { isWanted($0.hash) ? $0 : nil }
      }
    }
  }
}

/// Validates pending and refused records again.
extension SegmentImport {
  /// Validates pending and refused records again if the log has changed since the last time: those in segments of the
  /// store by reading the segments, and those whose contents are kept. Works in steps, and starts again from the first
  /// if it was interrupted.
  mutating func revalidateRecords() throws {
    let membership = try local.publishedMembership()
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
      guard let stored = try writer.segment(stream, number), let segment = stored.segment(openedBy: device),
        segment.position == stored.position
      else { return 0 }
      let membership = try local.publishedLog(in: writer).membership
      let records = ExaminedRecord.examine(segment.records, by: membership)
      return try evaluate(records, of: segment, isStored: true, by: membership, writer).validCount
    }
    FaultPoint.reached(.recordsRevalidated)
  }

  private mutating func revalidateContents(upTo head: [UInt8]) throws {
    var last: Int64? = .min
    while let row = last {
      let (page, count) = try local.store.write { writer in
        let membership = try local.publishedLog(in: writer).membership
        let page = try writer.unadmittedContents(after: row, byteLimit: Limits.segmentPayloadByteCount)
        var count = 0
        for row in page {
          // A row that is damaged here is reported when its item is read. It must not stop the validation of the
          // others.
          guard let record = try? row.record() else { continue }
          switch membership.validity(of: record) {
          case .valid:
            if try writer.admit(record, from: row) { count += 1 }
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
