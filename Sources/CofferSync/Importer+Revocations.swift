internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Takes what a revocation ends out of the store.
extension Importer {
  /// Withdraws the segments that revoked machines wrote later than the log allows, and takes the records out of the items
  /// that are not listed. Does nothing for revocations that were applied before.
  mutating func applyRevocations(of membership: Membership) throws {
    guard let last = membership.revocations.last?.position.sequence else { return }
    let applied = try local.store.read { try $0.setting(.appliedRevocation) }.flatMap { Self.number($0) } ?? 0
    let fresh = membership.revocations.filter { $0.position.sequence > applied }
    guard !fresh.isEmpty else { return }
    for machine in fresh.flatMap(\.statement.machines) { try withdrawSegments(of: machine.device, in: membership) }
    let refused = try refuseRecords(of: Set(fresh.flatMap(\.statement.authors).map(\.author)), by: membership)
    if refused > 0 { report.add("\(refused) records of revoked machines and apps are refused; see: coffer refused") }
    try local.store.write { try $0.setSetting(.appliedRevocation, Self.bytes(last)) }
  }

  /// Withdraws the segments of a revoked machine that a host showed to this machine before the revocation.
  private mutating func withdrawSegments(of device: DeviceID, in membership: Membership) throws {
    guard let machine = membership.devices[device] else { return }
    let heads = try local.store.read { try $0.streamHeads() }.filter { $0.device == device }
    for head in heads where !machine.allows(head.position) {
      let stream = head.position.stream
      let first = machine.lastSegments[stream].map { $0.number + 1 } ?? 0
      try local.store.write { writer in
        try writer.forEachSegment(of: stream) { stored in
          guard stored.position.number >= first, let segment = try open(stored.envelope) else { return }
          try keepUnadmittedRecords(of: segment, writer)
        }
        try writer.withdrawSegments(of: stream, from: first)
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
      var places: [RecordHash: [UnadmittedRecord]] = [:]
      for (stream, number) in try writer.allSegments() {
        guard let stored = try writer.segment(stream, number), let segment = try open(stored.envelope) else { continue }
        for bytes in segment.records {
          guard let record = try? Record(bytes: bytes), unlisted.contains(record.hash) else { continue }
          places[record.hash, default: []].append(UnadmittedRecord(record, in: segment, isAuthentic: true))
        }
      }
      for hash in unlisted { try writer.refuse(hash, at: places[hash] ?? []) }
      return unlisted.count
    }
  }

  /// Discards unpublished revocations that do not list every record that this machine has by now: the entries are signed
  /// anew by the command that waits for them.
  mutating func discardStaleRevocations() throws {
    report.membershipDiscarded += try local.store.write { writer in
      let published = try writer.publishedLogLength()
      let chain = try local.branches(in: writer).chain
      let drafts = chain.revocations.filter { $0.position.sequence > published }
      for draft in drafts {
        let authors = draft.statement.authors.map(\.author)
        let records = try writer.countedRecords(of: authors, in: chain, openedBy: device)
        guard records.contains(where: { !chain.permits($0.author, toWrite: $0.hash, in: $0.group) }) else { continue }
        return try writer.withdrawUnpublishedLog()
      }
      return 0
    }
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.u64(number)
    return writer.bytes
  }

  private static func number(_ bytes: [UInt8]) -> UInt64? {
    var reader = ByteReader(bytes, object: "setting applied-revocation")
    return try? reader.u64("number")
  }
}
