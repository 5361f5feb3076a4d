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
  let membershipObstacle: String?
  private let logEntries: [(sequence: UInt64, envelope: [UInt8])]
  private let recordLists: [(hash: Bytes32, envelope: [UInt8])]
  private let rootSlots: [StoredRootSlot]
  private let segments: [StoredSegment]

  /// Seals the outbox and collects the objects to push. The remote should have the `lost` ones and does not, and
  /// nothing is pushed over the `unresolved` places.
  static func sealOutbox(
    of local: LocalVault, device: DeviceFile, lost: Set<RemoteLayout.Place>, unresolved: Set<RemoteLayout.Place>
  ) throws -> OutgoingObjects {
    try sealSegments(local: local, device: device)
    return try local.store.read { reader in
      var repairedRecordCount = 0
      var repairedMembershipCount = 0
      var files: [String: [UInt8]] = [:]
      let genesis = try local.membership(in: reader).genesis
      let epoch = try reader.epochBranch().epoch
      for place in lost {
        switch place {
        case .checkpoint(let epoch): files[place.path] = try device.sealing(reader.checkpoint(epoch), as: .checkpoint)
        case .chunk(let number):
          files[place.path] = try device.sealing(reader.chunk(number, of: epoch), as: .snapshotChunk)
        case .opened: files[place.path] = try reader.setting(.epochOpening)
        case .closed: continue
        case .genesis: files[place.path] = try reader.genesis()
        case .rootSlot: files[place.path] = try reader.rootSlot()
        case .laterRootSlot(let hash):
          files[place.path] = try reader.laterRootSlots().first { $0.hash == hash && $0.isSound(of: genesis) }?.bytes
        case .logEntry(let sequence):
          guard let entry = try reader.logEntry(sequence) else { continue }
          files[place.path] = entry.envelope
          if entry.isPublished { repairedMembershipCount += 1 }
        case .recordList(let hash):
          files[place.path] = try sealedRecordList(hash, device, reader)
        case .segment(let stream, let number):
          guard let segment = try reader.segment(stream, number) else { continue }
          files[place.path] = segment.envelope
          if segment.isPublished { repairedRecordCount += segment.recordCount(openedBy: device) }
        }
      }
      var entries = try reader.unpublishedLogEntries()
      let obstacle = try entries.isEmpty ? nil : obstacle(unresolved, local, reader)
      if obstacle != nil { entries = [] }
      for entry in entries { files[RemoteLayout.path(ofLogEntry: entry.sequence)] = entry.envelope }
      var lists: [(hash: Bytes32, envelope: [UInt8])] = []
      let chain = try local.branches(in: reader).chain
      let named = Set(chain.revocations.flatMap(\.statement.recordLists))
      for list in try reader.recordLists() where list.published == nil && obstacle == nil {
        guard named.contains(list.hash), let envelope = try sealedRecordList(list.hash, device, reader) else {
          continue
        }
        lists.append((list.hash, envelope))
        files[RemoteLayout.path(ofRecordList: list.hash)] = envelope
      }
      let namedSlots = Set(chain.successions.map(\.statement.slot))
      let slots = try reader.laterRootSlots().filter {
        $0.published == nil && obstacle == nil && namedSlots.contains($0.hash)
      }
      for slot in slots { files[RemoteLayout.path(ofLaterRootSlot: slot.hash)] = slot.bytes }
      let membership = try local.membership(in: reader)
      let own = DeviceID(vault: membership.vault, keys: device.keys.publicKeys)
      let segments = try reader.unpublishedSegments().filter { segment in
        guard !unresolved.contains(.segment(segment.position.stream, segment.position.number)) else { return false }
        // A revocation may have reached the log since a segment of another machine was in a lane.
        return segment.device == own || membership.devices[segment.device]?.allows(segment.position) == true
      }
      let ownSegments = segments.filter { $0.device == own }
      for segment in segments {
        files[RemoteLayout.path(ofSegment: segment.position.number, in: segment.position.stream)] = segment.envelope
      }
      return OutgoingObjects(
        files: files.sorted { $0.key < $1.key }.map { ($0.key, $0.value) },
        repairCount: files.count - entries.count - lists.count - slots.count - segments.count,
        repairedRecordCount: repairedRecordCount,
        repairedMembershipCount: repairedMembershipCount,
        recordCount: ownSegments.reduce(0) { $0 + $1.recordCount(openedBy: device) }, membershipCount: entries.count,
        isOnlyFolding: ownSegments.isEmpty && files.count == segments.count,
        membershipObstacle: obstacle,
        logEntries: entries.map { ($0.sequence, $0.envelope) }, recordLists: lists, rootSlots: slots,
        segments: segments)
    }
  }

  /// Seals a record list, which is the same for everybody. Nil if the store does not have it, or has it in another form.
  static func sealedRecordList(
    _ hash: Bytes32, _ device: DeviceFile, _ reader: borrowing StoreReader
  ) throws -> [UInt8]? {
    guard let bytes = try reader.recordList(hash), let list = try? RecordList(bytes: bytes), list.hash == hash else {
      return nil
    }
    return device.sealing(bytes, as: .recordList)
  }

  /// Returns why unpublished entries of the log must not be pushed. Over another object they would replace what other
  /// machines may have read, beside entries that others have seen they would fork the log, and in a forked log they would
  /// mix the branches.
  private static func obstacle(
    _ unresolved: Set<RemoteLayout.Place>, _ local: LocalVault, _ reader: borrowing StoreReader
  ) throws -> String? {
    let branches = try local.branches(in: reader)
    if let fork = branches.fork { return fork.words }
    if let revocation = branches.chain.incompleteBatch, try reader.publishedLogLength() < revocation.sequence {
      // Nobody else has the keys that the missing entries introduce, and nobody could change membership again.
      return "entries that belong to entry \(revocation.sequence) are missing in the store"
    }
    guard try reader.setting(.despiteClaims) == nil else { return nil }
    if let error = try LogClaims.load(from: reader).error(in: local.membership(in: reader)) { return error.message }
    let places = unresolved.compactMap { if case .logEntry = $0 { $0.path } else { nil } }.sorted()
    guard let path = places.first else { return nil }
    return "the remote has a file \(path) that cannot be verified, and this machine does not overwrite it"
  }

  /// The places of the segments, if nothing else is to be pushed: only segments can be in a lane.
  var laneSegments: Set<LaneContents.SegmentPlace>? {
    guard !segments.isEmpty, files.count == segments.count else { return nil }
    return Set(segments.map { LaneContents.SegmentPlace(stream: $0.position.stream, number: $0.position.number) })
  }

  /// Records, before the push, which entries of the log the host may keep even if it refuses them.
  func recordOffered(in store: Store) throws {
    guard let last = logEntries.last else { return }
    try store.write { try $0.recordOfferedLog(through: last.sequence) }
  }

  /// Marks the objects as published, after the remote has accepted them.
  func markPublished(_ writer: borrowing StoreWriter) throws {
    if !logEntries.isEmpty {
      try writer.setSetting(.despiteClaims, nil)
      try writer.recordAcceptedLog()
    }
    for entry in logEntries {
      try writer.markLogPublished(entry.sequence, as: ObjectID.ofFile(entry.envelope).bytes)
    }
    for list in recordLists {
      try writer.markRecordListPublished(list.hash, as: ObjectID.ofFile(list.envelope).bytes)
    }
    for slot in rootSlots { try writer.markRootSlotPublished(slot.hash, as: ObjectID.ofFile(slot.bytes).bytes) }
    for segment in segments {
      try writer.markSegmentPublished(
        segment.position.stream, segment.position.number, as: ObjectID.ofFile(segment.envelope).bytes)
    }
  }

  /// Seals the outbox into segments, one or more per group.
  private static func sealSegments(local: LocalVault, device: DeviceFile) throws {
    guard let transportKey = device.transportKeys.last else {
      throw VaultError(
        .integrity, "this machine's key file has no transport key", recoverySuggestion: "clone the vault again")
    }
    // Not by drafts: what one would end still counts everywhere if it is discarded.
    let membership = try local.settledMembership()
    let sealing = Sealing(membership: membership, device: device, transportKey: transportKey)
    var isEmpty = false
    while !isEmpty {
      try local.store.write { writer in
        // In any order: the numbers of the segments would tell which of them belong to the same group as those of other syncs.
        guard let group = try writer.outboxGroups().randomElement() else {
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

  /// Treats a record of this machine as other machines do: if the log does not permit it, it does not count. Only somebody
  /// who can write to the store's file can add one, unless the entry of the log that permitted it was discarded.
  private static func suspend(
    _ record: Record, in segment: Segment, by membership: Membership, _ writer: borrowing StoreWriter
  ) throws {
    guard !membership.permits(record) else { return }
    switch membership.standing(of: record) {
    case .unknownAuthor, .notEntitled:
      let isAuthentic = membership.authors[record.header.author] != nil
      try writer.suspend(record, UnadmittedRecord(record, in: segment, isAuthentic: isAuthentic))
    case .valid, .invalid: break
    }
  }
}

extension DeviceFile {
  /// Seals an object under the newest transport key. Returns nil if there is none.
  func sealing(_ object: [UInt8]?, as content: Envelope.Content) -> [UInt8]? {
    guard let object, let key = transportKeys.last else { return nil }
    return Envelope(sealing: object, as: content, key: key.key, generation: key.generation).bytes
  }
}
