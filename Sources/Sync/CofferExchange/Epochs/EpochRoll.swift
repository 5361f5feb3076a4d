internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// Ends the epoch and begins the next one: builds a branch with a snapshot, closes the branch of this epoch by a plain
/// push, and opens the new one. Nothing is forced, and until the epoch is closed, the new branch means nothing to
/// anybody.
struct EpochRoll: SyncPart {
  let session: SyncSession
  /// Whether the branch of this epoch is kept.
  let keepsBranch: Bool

  enum Outcome: Hashable {
    case begun(EpochBranch)
    /// The host does not accept the branch of the next epoch, or a part of it.
    case refused
    /// Other machines wrote all the time, or began the next epoch themselves.
    case lost
  }

  /// The number of times that other machines may write while this one closes the epoch.
  private static let attempts = 8
  /// How many bytes of chunks one push has, about: hosts limit the size of a push.
  private static let pushByteCount = 16 << 20

  private var exchange: EpochExchange { EpochExchange(session: session) }

  /// Returns why this machine must not begin an epoch, as a clause, after a complete sync; nil if it may.
  static func obstacle(in local: LocalVault) throws -> String? {
    if try local.fork() != nil { return "the membership log has forked" }
    return try local.store.read { reader in
      let membership = try local.publishedLog(in: reader).membership
      guard let machine = local.machine(in: membership), machine.admin != nil, machine.revocation == nil else {
        return "only an admin's machine can do that"
      }
      let chain = try local.branches(in: reader).chain
      guard chain.incompleteBatch == nil, chain.missingRecordLists.isEmpty, chain.firstUnknownCritical == nil else {
        return "the membership log is not complete here"
      }
      guard try LogClaims.load(from: reader).open.isEmpty else {
        return "other machines have seen entries of the log that this one has not"
      }
      guard try MissingSegments.load(from: reader).positions.isEmpty,
        try MissingSegments.load(from: reader, .differentSegments).positions.isEmpty
      else { return "other machines have seen segments that this one has not" }
      guard try reader.outboxCount() == 0, try reader.unpublishedSegments().isEmpty,
        try reader.unpublishedLogEntries().isEmpty
      else { return "changes of this machine are not synced" }
      return nil
    }
  }

  /// Begins the next epoch, after the commit of this epoch's branch that is imported, and on which this machine has
  /// everything. What other machines write meanwhile is imported.
  func run(onto tip: ObjectID) throws -> Outcome {
    let current = try local.epochBranch()
    guard current.epoch < .max, let next = EpochBranch(epoch: current.epoch + 1, tagged: Random.integer()) else {
      return .lost
    }
    let known = try PublishedObjects.read(from: local).contents
    let (checkpoint, files, chunks) = try local.store.read { reader in
      var builder = SnapshotBuilder(local: local, device: device, epoch: next.epoch)
      let membership = try local.publishedLog(in: reader).membership
      let chunks = try builder.build(reader, membership)
      let checkpoint = try self.checkpoint(next.epoch, chunks, reader, membership)
      return (checkpoint, try self.files(beside: checkpoint, known, reader), chunks)
    }
    try remember(next, at: tip, .begun)
    guard let candidate = try push(files, chunks, to: next) else { return .refused }
    try remember(next, at: candidate, .candidate)
    let closing = Closing(
      vault: checkpoint.vault, continuedOn: next, checkpoint: checkpoint.hash, device: checkpoint.device,
      key: device.keys.signing)
    guard let file = device.sealing(closing.bytes, as: .closing) else { return .lost }
    return try close(current, at: tip, with: file, next, candidate, known)
  }

  private func remember(_ branch: EpochBranch, at commit: ObjectID, _ kind: BranchBook.Kind) throws {
    try BranchBook.update(in: local.store) { $0.insert(branch, at: commit, kind) }
  }

  // MARK: The branch of the next epoch

  private func checkpoint(
    _ epoch: UInt32, _ chunks: [SnapshotChunk], _ reader: borrowing StoreReader, _ membership: Membership
  ) throws -> Checkpoint {
    let previous = try reader.object(.checkpoint(epoch - 1)).flatMap { try? Checkpoint(bytes: $0) }?.hash
    let log = try reader.lastPublishedLogEntry().map { stored in
      try translatingErrors { () throws in try LogEntry(bytes: stored.entry).position }
    }
    let streams = try reader.streamHeads().map { CoveredStream(position: $0.position, device: $0.device) }
    guard streams.count <= Limits.checkpointStreams else {
      throw VaultError(.integrity, "the vault has more than \(Limits.checkpointStreams) streams")
    }
    return Checkpoint(
      vault: membership.vault, epoch: epoch, after: previous ?? .beforeFirst,
      log: log ?? LogPosition(sequence: 0, hash: membership.genesis.hash), time: .now, streams: streams,
      chunks: chunks.map(\.hash), device: ownDevice(in: membership.vault),
      key: device.keys.signing)
  }

  /// Returns everything that the branch has besides chunks. `known` are the published objects.
  private func files(
    beside checkpoint: Checkpoint, _ known: [RemoteLayout.Place: ObjectID], _ reader: borrowing StoreReader
  ) throws -> [(path: String, bytes: [UInt8])] {
    var all = try files(at: known.keys.filter(\.isKept), reader)
    if let file = device.sealing(checkpoint.bytes, as: .checkpoint) {
      all.append((RemoteLayout.Place.checkpoint(checkpoint.epoch).path, file))
    }
    return all
  }

  private func files(
    at places: [RemoteLayout.Place], _ reader: borrowing StoreReader
  ) throws -> [(path: String, bytes: [UInt8])] {
    var files: [(path: String, bytes: [UInt8])] = []
    for place in places {
      if let file = try reader.file(at: place, sealedBy: device) { files.append((place.path, file)) }
    }
    return files
  }

  /// Pushes the branch in several parts. Returns its commit; nil if the host refuses one.
  private func push(
    _ files: [(path: String, bytes: [UInt8])], _ chunks: [SnapshotChunk], to branch: EpochBranch
  ) throws -> ObjectID? {
    guard var tip = try exchange.push(files, onto: nil, of: branch) else { return nil }
    FaultPoint.reached(.candidatePushed)
    var part: [(path: String, bytes: [UInt8])] = []
    var byteCount = 0
    for chunk in chunks {
      guard let sealed = device.sealing(chunk.bytes, as: .snapshotChunk) else { return nil }
      part.append((RemoteLayout.Place.chunk(chunk.number).path, sealed))
      byteCount += sealed.count
      guard byteCount >= Self.pushByteCount || Int(chunk.number) == chunks.count - 1 else { continue }
      guard let commit = try exchange.push(part, onto: tip, of: branch) else { return nil }
      FaultPoint.reached(.candidatePushed)
      exchange.steps.send(Int(chunk.number) + 1, of: chunks.count)
      (tip, part, byteCount) = (commit, [], 0)
    }
    return tip
  }

  // MARK: The end of this epoch

  private func close(
    _ current: EpochBranch, at tip: ObjectID, with file: [UInt8], _ next: EpochBranch, _ candidate: ObjectID,
    _ known: [RemoteLayout.Place: ObjectID]
  ) throws -> Outcome {
    var (tip, candidate, known) = (tip, candidate, known)
    for _ in 0..<Self.attempts {
      try remember(next, at: tip, .begun)
      let commit = try repository.commit(adding: [(RemoteLayout.closed, file)], onto: tip)
      if !keepsBranch { try remember(current, at: commit, .closed) }
      if case .accepted = try connection.push(commit, to: RemoteLayout.reference(of: current), mayCreate: false) {
        FaultPoint.reached(.epochClosed)
        // If this fails, the next machine that follows does it.
        _ = try exchange.push([(RemoteLayout.opened, file)], onto: candidate, of: next)
        FaultPoint.reached(.epochOpened)
        return .begun(next)
      }
      // Others have written: the new branch needs that, too.
      let remote = try RemoteState.fetch(current, from: connection)
      guard let newTip = remote.tip, newTip != tip, try !repository.hasEntry(at: RemoteLayout.closed, in: newTip) else {
        break
      }
      var importer = Importer(session)
      try importer.run(at: newTip)
      guard importer.repairs.lost.isEmpty, importer.repairs.unresolved.isEmpty, report.problems.isEmpty,
        try Self.obstacle(in: local) == nil
      else { break }
      let objects = try PublishedObjects.read(from: local).contents
      // A segment is in no snapshot yet, and everything else may be another one now.
      let changed = objects.filter { known[$0.key] != $0.value }.keys.filter { $0.isKept || $0.isSegment }
      let added = try local.store.read { try files(at: changed, $0) }
      guard let commit = try exchange.push(added, onto: candidate, of: next) else { break }
      try remember(next, at: commit, .candidate)
      (tip, candidate, known) = (newTip, commit, objects)
    }
    try BranchBook.update(in: local.store) { book in book.remove { $0.branch == current && $0.kind.isDeletion } }
    return .lost
  }
}

/// Makes the snapshot of the next epoch from the store.
struct SnapshotBuilder {
  let local: LocalVault
  let device: DeviceFile
  /// The epoch that begins with the snapshot.
  let epoch: UInt32

  private var chunks: [SnapshotChunk] = []
  private var entries: [SnapshotEntry] = []
  private var byteCount = 0

  /// How long superseded versions are in snapshots, at least: a machine that was absent for less brings none back.
  private static let skeletonAge: Int64 = 400 * 86_400 * 1_000_000

  init(local: LocalVault, device: DeviceFile, epoch: UInt32) {
    self.local = local
    self.device = device
    self.epoch = epoch
  }

  /// Returns the chunks, in order. The store has published everything, and the membership is by the published log.
  /// Throws `integrity` for more than a snapshot can have.
  mutating func build(_ reader: borrowing StoreReader, _ membership: Membership) throws -> [SnapshotChunk] {
    let followed = try reader.publishedLogLength()
    func isPending(_ place: UnadmittedRecord) -> Bool {
      place.log > followed && membership.authors[place.author]?.cut(in: place.group) == nil
    }
    let start = try supersededSince(reader)
    var last: Int64 = 0
    while true {
      let page = try reader.snapshotSources(
        after: last, supersededSince: start, byteLimit: Limits.snapshotChunkByteCount)
      guard let end = page.last?.row else { break }
      for source in page {
        switch source.entry {
        case .head(let stored):
          try add(.record(translatingErrors { () throws in try stored.record().bytes }), membership)
        case .superseded(let bytes): try add(.skeleton(bytes), membership)
        case .unadmitted(let stored):
          guard let record = try? stored.record(), let place = try reader.unadmittedPlace(of: record.copyHash),
            isPending(place)
          else { continue }
          try add(.pending(record.bytes, place.origin), membership)
        }
      }
      last = end
    }
    for head in try reader.streamHeads() {
      let stream = head.position.stream
      for number in try reader.unadmittedSegments(of: stream, through: head.position.number) {
        guard let segment = try reader.segment(stream, number)?.segment(openedBy: device) else { continue }
        let places = Dictionary(try reader.unadmitted(in: stream, number).map { ($0.hash, $0) }) { first, _ in first }
        for bytes in segment.records {
          guard let record = try? Record(bytes: bytes), let place = places[record.copyHash], isPending(place) else {
            continue
          }
          try add(.pending(bytes, place.origin), membership)
        }
      }
    }
    try finishChunk(membership)
    return chunks
  }

  /// Returns the time since which superseded versions are in the snapshot: those of two epochs, and of 400 days.
  private func supersededSince(_ reader: borrowing StoreReader) throws -> Timestamp {
    guard epoch - 2 >= Checkpoint.firstEpoch, let bytes = try reader.object(.checkpoint(epoch - 2)),
      let checkpoint = try? Checkpoint(bytes: bytes)
    else { return Timestamp(microseconds: .min) }
    let age = Timestamp(microseconds: Timestamp.now.microseconds - Self.skeletonAge)
    return min(checkpoint.time, age)
  }

  private mutating func add(_ entry: SnapshotEntry, _ membership: Membership) throws(VaultError) {
    if !entries.isEmpty,
      byteCount + entry.byteCount > Limits.snapshotChunkByteCount
        || entries.count == Limits.recordsPerSegment
    {
      try finishChunk(membership)
    }
    entries.append(entry)
    byteCount += entry.byteCount
  }

  private mutating func finishChunk(_ membership: Membership) throws(VaultError) {
    guard !entries.isEmpty else { return }
    guard chunks.count < Limits.snapshotChunks else {
      throw VaultError(
        .integrity, "the vault has more than \(Limits.snapshotChunks) chunks of records",
        recoverySuggestion: "delete items that nobody needs")
    }
    chunks.append(
      SnapshotChunk(vault: membership.vault, epoch: epoch, number: UInt32(chunks.count), entries: entries))
    entries = []
    byteCount = 0
  }
}

extension UnadmittedRecord {
  /// The segment, as a snapshot names it.
  fileprivate var origin: SnapshotEntry.Origin {
    SnapshotEntry.Origin(device: device, stream: stream, number: number, log: log)
  }
}
