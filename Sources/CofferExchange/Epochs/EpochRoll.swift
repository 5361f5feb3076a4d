internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// Ends the epoch and begins the next one: builds a branch with a snapshot, closes the branch of this epoch by a plain push,
/// and opens the new one. Nothing is forced, and until the epoch is closed, the new branch means nothing to anybody.
struct EpochRoll {
  let local: LocalVault
  let exchange: EpochExchange
  let device: DeviceFile
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

  private var connection: RemoteConnection { exchange.connection }
  private var repository: Repository { connection.repository }

  /// Returns why this machine must not begin an epoch, as a clause, after a complete sync; nil if it may.
  static func obstacle(in local: LocalVault) throws -> String? {
    if try local.fork() != nil { return "the membership log has forked" }
    return try local.store.read { reader in
      let membership = try local.settledLog(in: reader).membership
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
  func run(onto tip: ObjectID, _ report: inout SyncReport) throws -> Outcome {
    let current = try local.epochBranch()
    guard current.epoch < .max, let next = EpochBranch(epoch: current.epoch + 1, tagged: Self.randomTag()) else {
      return .lost
    }
    let (checkpoint, files, chunks) = try local.store.read { reader in
      var builder = SnapshotBuilder(local: local, device: device, epoch: next.epoch)
      let membership = try local.settledLog(in: reader).membership
      let chunks = try builder.build(reader, membership)
      let checkpoint = try self.checkpoint(next.epoch, chunks, reader, membership)
      return (checkpoint, try self.files(beside: checkpoint, reader), chunks)
    }
    try remember(next, .begun(onto: tip))
    guard let candidate = try push(files, chunks, to: next) else { return .refused }
    try local.store.write { try EpochCandidate(branch: next, commit: candidate).save(to: $0) }
    let closing = Closing(
      vault: checkpoint.vault, continuedOn: next, checkpoint: checkpoint.hash, device: checkpoint.device,
      key: device.keys.signing)
    guard let file = device.sealing(closing.bytes, as: .closing) else { return .lost }
    return try close(current, at: tip, with: file, next, candidate, &report)
  }

  private static func randomTag() -> UInt64 { UInt64.random(in: 0...UInt64.max) }

  private func remember(_ branch: EpochBranch, _ condition: BranchesToDelete.Condition?) throws {
    try local.store.write { writer in
      var branches = try BranchesToDelete.load(from: writer)
      if let condition { branches.insert(branch, condition) } else { branches.remove(branch) }
      try branches.save(to: writer)
    }
  }

  // MARK: The branch of the next epoch

  private func checkpoint(
    _ epoch: UInt32, _ chunks: [SnapshotChunk], _ reader: borrowing StoreReader, _ membership: Membership
  ) throws -> Checkpoint {
    let previous = try reader.checkpoints().last { $0.epoch == epoch - 1 }?.hash
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
      chunks: chunks.map(\.hash), device: DeviceID(vault: membership.vault, keys: device.keys.publicKeys),
      key: device.keys.signing)
  }

  /// Returns everything that the branch has besides chunks.
  private func files(
    beside checkpoint: Checkpoint, _ reader: borrowing StoreReader
  ) throws -> [(path: String, bytes: [UInt8])] {
    var files: [(path: String, bytes: [UInt8]?)] = [
      (RemoteLayout.Place.genesis.path, try reader.genesis()),
      (RemoteLayout.Place.rootSlot.path, try reader.rootSlot()),
    ]
    for entry in try reader.logEntries(after: 0) where entry.isPublished {
      files.append((RemoteLayout.path(ofLogEntry: entry.sequence), entry.envelope))
    }
    for list in try reader.recordLists() where list.published != nil {
      files.append(
        (RemoteLayout.path(ofRecordList: list.hash), try OutgoingObjects.sealedRecordList(list.hash, device, reader)))
    }
    for slot in try reader.laterRootSlots() where slot.published != nil {
      files.append((RemoteLayout.path(ofLaterRootSlot: slot.hash), slot.bytes))
    }
    for held in try reader.checkpoints() where held.epoch < checkpoint.epoch {
      files.append(
        (
          RemoteLayout.path(ofCheckpoint: held.epoch),
          try device.sealing(reader.checkpoint(held.epoch), as: .checkpoint)
        ))
    }
    files.append(
      (RemoteLayout.path(ofCheckpoint: checkpoint.epoch), device.sealing(checkpoint.bytes, as: .checkpoint)))
    return files.compactMap { file in file.bytes.map { (file.path, $0) } }
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
      part.append((RemoteLayout.path(ofChunk: chunk.number), sealed))
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
    _ report: inout SyncReport
  ) throws -> Outcome {
    var (tip, candidate, known) = (tip, candidate, try PublishedObjects.read(from: local).contents)
    for _ in 0..<Self.attempts {
      try remember(next, .begun(onto: tip))
      let commit = try repository.commit(adding: [(RemoteLayout.closed, file)], onto: tip)
      if !keepsBranch { try remember(current, .closed(commit)) }
      if case .accepted = try connection.push(commit, to: RemoteLayout.reference(of: current), mayCreate: false) {
        FaultPoint.reached(.epochClosed)
        // If this fails, the next machine that follows does it.
        _ = try exchange.push([(RemoteLayout.opened, file)], onto: candidate, of: next)
        FaultPoint.reached(.epochOpened)
        return .begun(next)
      }
      // Others have written: the new branch needs that, too.
      let remote = try connection.fetch(current)
      guard let newTip = remote.tip, newTip != tip, try !repository.hasEntry(at: RemoteLayout.closed, in: newTip) else {
        break
      }
      var importer = Importer(
        local: local, repository: repository, url: connection.url, device: device,
        unadmittedByteLimit: exchange.unadmittedByteLimit, logger: exchange.logger, report: report)
      try importer.run(at: newTip)
      report = importer.report
      guard importer.lost.isEmpty, importer.unresolved.isEmpty, report.problems.isEmpty,
        try Self.obstacle(in: local) == nil
      else { break }
      let objects = try PublishedObjects.read(from: local).contents
      let added = try files(at: objects.filter { known[$0.key] != $0.value }.map(\.key))
      guard let commit = try exchange.push(added, onto: candidate, of: next) else { break }
      try local.store.write { try EpochCandidate(branch: next, commit: commit).save(to: $0) }
      (tip, candidate, known) = (newTip, commit, objects)
    }
    try remember(current, nil)
    return .lost
  }

  private func files(at places: [RemoteLayout.Place]) throws -> [(path: String, bytes: [UInt8])] {
    try local.store.read { reader in
      try places.compactMap { place in
        let bytes: [UInt8]? =
          switch place {
          case .logEntry(let sequence): try reader.logEntry(sequence)?.envelope
          case .recordList(let hash): try OutgoingObjects.sealedRecordList(hash, device, reader)
          case .laterRootSlot(let hash): try reader.laterRootSlot(hash)
          case .segment(let stream, let number): try reader.segment(stream, number)?.envelope
          case .rootSlot: try reader.rootSlot()
          case .genesis, .checkpoint, .chunk, .opened, .closed: nil
          }
        return bytes.map { (place.path, $0) }
      }
    }
  }
}
