internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// The objects that this machine pushes. Their final bytes are in the store before the push, so that a crash never
/// leads to two different contents for one number.
struct OutgoingObjects {
  /// The new files of the repository.
  let files: [(path: String, bytes: [UInt8])]
  /// The number of files of published objects that the remote has lost, has altered, or never had.
  let repairCount: Int
  /// The number of records and log entries among them.
  let repairedRecordCount: Int
  let repairedMembershipCount: Int
  /// The number of records and log entries in the other files.
  let recordCount: Int
  let membershipCount: Int
  /// Whether nothing is to be pushed but segments of other machines that were in lanes.
  let isOnlyFolding: Bool
  /// Why unpublished log entries of this machine are not pushed; nil if they are, or if there are none.
  let logObstacle: String?
  /// Whether segments wait until the entries of the log are pushed.
  let isLogFirst: Bool
  /// The objects that the remote has with the push for the first time, and their files.
  private let new: [(place: RemoteLayout.Place, file: [UInt8])]

  /// Seals the outbox and collects the objects to push. The remote should have the `lost` ones and does not, and
  /// nothing is pushed over the `unresolved` places.
  static func sealOutbox(
    of local: LocalVault, device: DeviceFile, lost: Set<RemoteLayout.Place>, unresolved: Set<RemoteLayout.Place>
  ) throws -> OutgoingObjects {
    let isLogFirst = try isLogFirst(of: local)
    if !isLogFirst { try sealSegments(local: local, device: device) }
    return try local.store.read { reader in
      var files: [RemoteLayout.Place: [UInt8]] = [:]
      var repairedRecordCount = 0
      var repairedMembershipCount = 0
      for place in lost {
        files[place] = try reader.file(at: place, sealedBy: device)
        switch place {
        case .logEntry(let sequence):
          if try reader.logEntry(sequence)?.isPublished == true { repairedMembershipCount += 1 }
        case .segment(let stream, let number):
          guard let segment = try reader.segment(stream, number), segment.isPublished else { continue }
          repairedRecordCount += segment.recordCount(openedBy: device)
        default: continue
        }
      }
      let entries = try reader.unpublishedLogEntries()
      let obstacle = try entries.isEmpty ? nil : obstacle(unresolved, local, reader)
      let membership = try local.membership(in: reader)
      let own = DeviceID(vault: membership.vault, keys: device.keys.publicKeys)
      let segments = try (isLogFirst ? [] : reader.unpublishedSegments()).filter { segment in
        guard !unresolved.contains(.segment(segment.position.stream, segment.position.number)) else { return false }
        // A revocation may have reached the log since a segment of another machine was in a lane.
        return segment.device == own || membership.refusal(of: .segment(segment.position), by: segment.device) == nil
      }
      let ownSegments = segments.filter { $0.device == own }
      var new: [(place: RemoteLayout.Place, file: [UInt8])] = []
      if obstacle == nil {
        new = entries.map { (place: RemoteLayout.Place.logEntry($0.sequence), file: $0.envelope) }
        for place in try unpublishedObjects(of: local, reader) {
          if let file = try reader.file(at: place, sealedBy: device) { new.append((place, file)) }
        }
      }
      for segment in segments {
        new.append((.segment(segment.position.stream, segment.position.number), segment.envelope))
      }
      for (place, file) in new { files[place] = file }
      return OutgoingObjects(
        files: files.sorted { $0.key.path < $1.key.path }.map { ($0.key.path, $0.value) },
        repairCount: files.count - new.count,
        repairedRecordCount: repairedRecordCount, repairedMembershipCount: repairedMembershipCount,
        recordCount: ownSegments.reduce(0) { $0 + $1.recordCount(openedBy: device) },
        membershipCount: obstacle == nil ? entries.count : 0,
        isOnlyFolding: ownSegments.isEmpty && files.count == segments.count,
        logObstacle: obstacle, isLogFirst: isLogFirst, new: new)
    }
  }

  /// Whether entries that counted without a remote are pushed before segments: these may have records that only the
  /// entries permit, and be sealed under a transport key that they introduce. In a forked log, the entries are not
  /// pushed, and nothing waits for them.
  private static func isLogFirst(of local: LocalVault) throws -> Bool {
    try local.store.read { reader in
      let published = try reader.publishedLogLength()
      return try published > 0 && published < reader.settledLogLength() && local.branches(in: reader).fork == nil
    }
  }

  /// Returns the unpublished objects that entries of the log name.
  private static func unpublishedObjects(
    of local: LocalVault, _ reader: borrowing StoreReader
  ) throws -> [RemoteLayout.Place] {
    let chain = try local.branches(in: reader).chain
    let named = Set(
      chain.revocations.flatMap(\.statement.recordLists).map { StoredObject.Key.recordList($0) }
        + chain.successions.map { StoredObject.Key.rootSlot($0.statement.slot) })
    return try (reader.objects(.recordList) + reader.objects(.rootSlot))
      .filter { $0.published == nil && named.contains($0.key) }.compactMap { RemoteLayout.Place($0.key, in: 0) }
  }

  /// Returns why unpublished entries of the log must not be pushed. Over another object they would replace what other
  /// machines may have read, beside entries that others have seen they would fork the log, and in a forked log they
  /// would mix the branches.
  private static func obstacle(
    _ unresolved: Set<RemoteLayout.Place>, _ local: LocalVault, _ reader: borrowing StoreReader
  ) throws -> String? {
    let branches = try local.branches(in: reader)
    if let fork = branches.fork { return fork.words }
    if let revocation = branches.chain.incompleteBatch, try reader.publishedLogLength() < revocation.sequence {
      // Nobody else has the keys that the missing entries introduce, and nobody could change membership again.
      return "entries that belong to entry \(revocation.sequence) are missing in the store"
    }
    guard try reader.setting(.allowingLogFork) == nil else { return nil }
    if let error = try LogClaims.load(from: reader).error(in: local.membership(in: reader)) { return error.message }
    let places = unresolved.compactMap { if case .logEntry = $0 { $0.path } else { nil } }.sorted()
    guard let path = places.first else { return nil }
    return "the remote has a file \(path) that cannot be verified, and this machine does not overwrite it"
  }

  /// The places of the segments, if nothing else is to be pushed: only segments can be in a lane.
  var laneSegments: Set<LaneContents.SegmentPlace>? {
    let segments = new.compactMap { object -> LaneContents.SegmentPlace? in
      guard case .segment(let stream, let number) = object.place else { return nil }
      return LaneContents.SegmentPlace(stream: stream, number: number)
    }
    return segments.isEmpty || files.count != segments.count ? nil : Set(segments)
  }

  /// Records, before the push, which entries of the log the host may keep even if it refuses them.
  func recordOffered(in store: Store) throws {
    let entries = new.compactMap { if case .logEntry(let sequence) = $0.place { sequence } else { nil } }
    guard let last = entries.last else { return }
    try store.write { try $0.recordOfferedLog(through: last) }
  }

  /// Marks the objects as published, after the remote has accepted them.
  func markPublished(_ writer: borrowing StoreWriter) throws {
    if membershipCount > 0 {
      try writer.setSetting(.allowingLogFork, nil)
      try writer.recordAcceptedLog()
      try writer.setSetting(.keptLogLength, nil)
    }
    for (place, file) in new { try writer.markPublished(place, as: file) }
  }

  /// Seals the outbox into segments, one or more per group. `log` is what permits the records: by default, the entries
  /// that cannot be discarded any more.
  static func sealSegments(local: LocalVault, device: DeviceFile, by log: Membership? = nil) throws {
    guard let transportKey = device.transportKeys.last else {
      throw VaultError(
        .integrity, "this machine's key file has no transport key", recoverySuggestion: "clone the vault again")
    }
    // Not by drafts: what one would end still counts everywhere if it is discarded.
    let membership = try log ?? local.publishedMembership()
    let sealing = Sealing(membership: membership, device: device, transportKey: transportKey)
    var isEmpty = false
    while !isEmpty {
      try local.store.write { writer in
        // In any order: the numbers of the segments would tell which of them belong to the same group as those of other
        // syncs.
        guard let group = try Random.shuffled(writer.outboxGroups()).first else {
          isEmpty = true
          return try sealing.acknowledgeRevocation(writer)
        }
        let batch = try writer.outbox(in: group, byteLimit: Limits.segmentPayloadByteCount)
        try writer.removeFromOutbox(batch.map(\.0))
        let records = batch.map { (bytes: $0.1, record: try? Record(bytes: $0.1)) }.filter {
          // Only somebody who can write to the store's file can add a record that must not leave this machine to the
          // outbox. Readers reject and report bytes that are no record.
          $0.record?.header.isDeviceLocal != true
        }
        guard !records.isEmpty else { return }
        let segment = try sealing.insertSegment(of: records.map(\.bytes), in: group, writer)
        for record in records.compactMap(\.record) { try suspend(record, in: segment, by: membership, writer) }
      }
      if !isEmpty { FaultPoint.reached(.segmentSealed) }
    }
  }

  /// Treats a record of this machine as other machines do: if the log does not permit it, it does not count. Only
  /// somebody who can write to the store's file can add one, unless the entry of the log that permitted it was
  /// discarded.
  private static func suspend(
    _ record: Record, in segment: Segment, by membership: Membership, _ writer: borrowing StoreWriter
  ) throws {
    guard !membership.permits(record) else { return }
    switch membership.validity(of: record) {
    case .unknownAuthor, .notEntitled:
      let isAuthentic = membership.authors[record.header.author] != nil
      try writer.suspend(record, UnadmittedRecord(record, in: segment, isAuthentic: isAuthentic))
    case .valid, .invalid: break
    }
  }
}

/// Seals segments of this machine into its stream.
struct Sealing {
  /// The membership by the published log.
  let membership: Membership
  let device: DeviceFile
  let transportKey: TransportKey

  /// Seals records, all of one group, into the next segment of this machine's stream.
  @discardableResult
  func insertSegment(
    of records: [[UInt8]], in group: GroupID, _ writer: borrowing StoreWriter
  ) throws -> Segment {
    let deviceID = DeviceID(vault: membership.vault, keys: device.keys.publicKeys)
    let stream = try ownStream(of: deviceID, writer)
    let head = try writer.streamHead(of: stream)
    let seen = Array(try writer.unreportedStreamHeads().prefix(Limits.seenStreams))
    let segment = Segment(
      vault: membership.vault, device: deviceID, stream: stream, after: head?.position,
      log: try publishedLogHead(writer), seen: seen, group: group, records: records, key: device.keys.signing)
    let envelope = Envelope(
      sealing: segment.bytes, as: .segment, key: transportKey.key, generation: transportKey.generation)
    try writer.insertSegment(
      StoredSegment(position: segment.position, device: deviceID, envelope: envelope.bytes, published: nil),
      isOwn: true)
    try writer.markReported(seen)
    return segment
  }

  /// Seals a segment without records, if this machine has sealed none since the last revocation: it tells the others
  /// that this machine does not use the old keys any more.
  func acknowledgeRevocation(_ writer: borrowing StoreWriter) throws {
    let own = DeviceID(vault: membership.vault, keys: device.keys.publicKeys)
    guard let revocation = membership.revocations.last, let group = membership.groups.keys.min(),
      try writer.publishedLogLength() >= revocation.position.sequence
    else { return }
    // Not before this machine's enrolment is published: a clone may still fail, and nobody could verify the segment
    // then.
    guard membership.members.contains(where: { $0.id == own }) else { return }
    if let stream: StreamID = try writer.value(.ownStream), let head = try writer.streamHead(of: stream),
      try writer.names(revocation.position, in: head, openedBy: device)
    {
      return
    }
    try insertSegment(of: [], in: group, writer)
  }

  /// Returns this machine's stream, and begins one if none exists whose name commits to this machine: other machines
  /// could have begun a stream of Coffer 0.2.0 as well, and those that read that first would refuse this machine's
  /// segments.
  private func ownStream(of device: DeviceID, _ writer: borrowing StoreWriter) throws -> StreamID {
    let naming = StreamNaming(self.device.transportKeys, in: membership.vault)
    if let stream: StreamID = try writer.value(.ownStream), naming.commits(stream, to: device) { return stream }
    let stream = StreamNaming.random(of: device, in: membership.vault, under: transportKey)
    try writer.set(.ownStream, to: stream)
    return stream
  }

  /// Returns the position of the last published log entry. Later entries may still be discarded.
  private func publishedLogHead(_ writer: borrowing StoreWriter) throws -> LogPosition {
    guard let last = try writer.lastPublishedLogEntry() else {
      return LogPosition(sequence: 0, hash: membership.genesis.hash)
    }
    return try LogEntry(bytes: last.entry).position
  }
}
