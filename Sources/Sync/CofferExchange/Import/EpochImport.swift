internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// Imports the objects of the epoch that this machine follows: its checkpoint, its snapshot and its closings.
struct EpochImport: ImportPart {
  let session: SyncSession
  var repairs = RemoteRepairs()
  /// The files of the branch that this machine does not have yet.
  var files = RemoteFiles()
  var hasUnresolvedEntries = false
  /// The records that this import has found refused.
  var refusals = FoundRefusals()
  /// The epoch that this machine follows.
  private(set) var branch = EpochBranch.first
  /// The checkpoint that begins it; nil for the first epoch, and if the store has lost it.
  private(set) var checkpoint: Checkpoint?
  /// The closing of this epoch at the remote; nil if it has none that counts.
  private(set) var closing: SealedClosing?

  /// The size of a file with a closing, at most.
  static let closingByteCount = 4_096

  init(_ session: SyncSession) { self.session = session }

  /// Reads which epoch this machine follows.
  mutating func load() throws {
    let (branch, bytes) = try local.store.read { reader in
      let branch = try reader.epochBranch()
      return (branch, try reader.object(.checkpoint(branch.epoch)))
    }
    self.branch = branch
    checkpoint = bytes.flatMap { try? Checkpoint(bytes: $0) }
  }

  /// Imports checkpoints, chunks and closings.
  mutating func run() throws {
    try importCheckpoints()
    try importChunks()
    try importOpening()
    try renewOpening()
    try importClosing()
  }

  // MARK: Checkpoints

  private mutating func importCheckpoints() throws {
    for (epoch, blob) in files.checkpoints.sorted(by: { $0.key < $1.key }) {
      let own = try local.store.read { try $0.object(.checkpoint(epoch)) }
      try importFile(.checkpoint(epoch), "checkpoint \(epoch)", isHeld: own != nil) { part in
        guard epoch >= Checkpoint.firstEpoch, epoch <= part.branch.epoch else {
          throw UnsoundObject("its epoch has not begun", .invalid)
        }
        let checkpoint = try part.openCheckpoint(
          part.repository.blob(blob, maximumByteCount: Limits.objectByteCount))
        guard checkpoint.epoch == epoch else { throw UnsoundObject("it is another one", .invalid) }
        guard own == nil || own == checkpoint.bytes else {
          throw UnsoundObject("it is not the one that this machine has followed", .invalid)
        }
        if own == nil {
          try part.verify(checkpoint)
          try part.checkIsOfEpoch(checkpoint)
        }
        try part.local.store.write { try $0.insert(checkpoint, published: blob.bytes) }
      }
    }
    if !files.checkpoints.isEmpty { try load() }
  }

  /// Opens a checkpoint. The caller must verify it.
  func openCheckpoint(_ file: [UInt8]) throws -> Checkpoint {
    let checkpoint = try Checkpoint(bytes: open(file, as: .checkpoint))
    guard checkpoint.vault == (try local.publishedMembership()).vault else {
      throw FormatError(.otherVault, object: "checkpoint", field: "vault")
    }
    return checkpoint
  }

  /// Verifies that an admin's machine signed a checkpoint, by the log at the position that the checkpoint names.
  func verify(_ checkpoint: Checkpoint) throws {
    let membership = try membership(before: checkpoint.log.sequence + 1)
    guard membership.head == checkpoint.log else {
      throw UnsoundObject("it names an entry of the log that this machine does not have", .unannounced)
    }
    try membership.verify(checkpoint)
  }

  /// Checks that a checkpoint which the store has lost is the one with which this epoch began.
  private func checkIsOfEpoch(_ checkpoint: Checkpoint) throws {
    guard checkpoint.epoch == branch.epoch, let opening = try heldOpening(), opening.next == branch else { return }
    guard opening.checkpoint == checkpoint.hash else {
      throw UnsoundObject("it is not the one with which this epoch began", .invalid)
    }
  }

  // MARK: The snapshot

  private mutating func importChunks() throws {
    for (number, blob) in files.chunks.sorted(by: { $0.key < $1.key }) {
      let isHeld = try local.store.read { try $0.object(.chunk(number, epoch: branch.epoch)) } != nil
      try importFile(.chunk(number), "chunk \(number) of the snapshot", isHeld: isHeld) { part in
        guard let checkpoint = part.checkpoint, checkpoint.chunks.indices.contains(Int(number)) else {
          // It is not known what belongs there as long as the checkpoint is missing.
          let isUnknown = part.checkpoint == nil && part.branch.epoch >= Checkpoint.firstEpoch
          throw UnsoundObject("no checkpoint names it", isUnknown ? .unverified : .invalid)
        }
        let bytes = try part.repository.blob(blob, maximumByteCount: Limits.objectByteCount)
        let chunk = try part.openChunk(bytes, number, of: checkpoint)
        if try part.isHeld(chunk) {
          try part.local.store.write { try $0.markPublished(chunk.key, as: blob.bytes) }
        } else {
          try part.importRecords(of: chunk, by: checkpoint.device, as: blob)
        }
      }
    }
  }

  /// Opens a chunk of a snapshot, and compares it with the checkpoint.
  func openChunk(_ file: [UInt8], _ number: UInt32, of checkpoint: Checkpoint) throws -> SnapshotChunk {
    let chunk = try SnapshotChunk(bytes: open(file, as: .snapshotChunk))
    guard chunk.hash == checkpoint.chunks[Int(number)], chunk.number == number, chunk.epoch == checkpoint.epoch,
      chunk.vault == checkpoint.vault
    else { throw UnsoundObject("it is not the one that the checkpoint names", .invalid) }
    return chunk
  }

  /// Whether the store has a chunk, sound.
  func isHeld(_ chunk: SnapshotChunk) throws -> Bool {
    try local.store.read { try $0.object(chunk.key) } == chunk.bytes
  }

  // MARK: Closings

  private mutating func importOpening() throws {
    guard let opened = files.opened else { return }
    try importFile(.opened, "file opened", isHeld: branch.epoch >= Checkpoint.firstEpoch) { part in
      let file = try part.repository.blob(opened, maximumByteCount: Self.closingByteCount)
      let found = try part.openClosing(file).closing
      guard let held = try part.heldOpening(), found.next == held.next, found.checkpoint == held.checkpoint else {
        throw UnsoundObject("it is not the one with which this epoch began", .invalid)
      }
      if try found.bytes == held.bytes || part.counts(found) {
        // Somebody has sealed it again, or another admin's machine has signed it.
        try part.local.store.write { try $0.setSetting(.epochOpening, file) }
      } else {
        // It is no fault of the remote if the machine that signed it was removed since. One that does not count either
        // is not put in its place: other machines may have other ones.
        let wasOfAdmin = try part.local.publishedMembership().counts(
          .followedCheckpoint, by: found.device, isSigned: found.isSigned(by:))
        guard wasOfAdmin else { throw UnsoundObject("the machine that signed it is not an admin's", .invalid) }
        if try part.counts(held) { part.repairs.lost.insert(.opened) }
      }
    }
  }

  /// The closing with which this epoch began, as the store has it; nil for the first epoch, and if it is damaged.
  private func heldOpening() throws -> Closing? {
    try local.store.read { try $0.setting(.epochOpening) }.flatMap { try? openClosing($0) }?.closing
  }

  /// Signs the opening of this epoch, on an admin's machine, if the machine that signed it was removed since: others
  /// could not tell the epoch from one that it begins now.
  private mutating func renewOpening() throws {
    guard branch.epoch >= Checkpoint.firstEpoch, let held = try heldOpening() else { return }
    // Also by what this machine has not published yet: both are in one push then.
    let membership = try local.membership()
    guard membership.devices[held.device]?.isAdmin == false,
      let machine = local.machine(in: try local.publishedMembership()), machine.isAdmin,
      membership.devices[machine.id]?.isAdmin == true
    else { return }
    let closing = Closing(
      vault: held.vault, continuedOn: held.next, checkpoint: held.checkpoint, device: machine.id,
      key: device.keys.signing)
    guard let file = device.sealing(closing.bytes, as: .closing) else { return }
    try local.store.write { try $0.setSetting(.epochOpening, file) }
    repairs.lost.insert(.opened)
  }

  private mutating func importClosing() throws {
    guard let closed = files.closed else { return }
    try importFile(.closed, "file closed", isHeld: false) { part in
      let found = try part.openClosing(
        part.repository.blob(closed, maximumByteCount: Self.closingByteCount))
      guard found.closing.epoch == part.branch.epoch else { throw UnsoundObject("it ends another epoch", .invalid) }
      try part.verify(found.closing)
      part.closing = found
    }
  }

  /// Opens a closing. The caller must verify it.
  func openClosing(_ file: [UInt8]) throws -> SealedClosing {
    let closing = try Closing(bytes: open(file, as: .closing))
    guard closing.vault == (try local.publishedMembership()).vault else {
      throw FormatError(.otherVault, object: "closing", field: "vault")
    }
    return SealedClosing(closing: closing, file: file)
  }

  /// Whether an admin's machine signed a closing. `isOpening` is as in ``verify(_:asOpening:)``.
  func counts(_ closing: Closing, asOpening isOpening: Bool = false) throws -> Bool {
    try UnsoundObject.ignoring { try verify(closing, asOpening: isOpening) } != nil
  }

  /// Verifies that an admin's machine signed a closing. `isOpening` is whether a branch that this machine does not
  /// follow begins with it.
  ///
  /// An opening counts by the log that the remote has. Entries that counted here without a remote can remove a machine
  /// that has ended an epoch meanwhile. The others follow that epoch, and only there can they learn of the removal, for
  /// which ``renewOpening()`` signs the opening again. A closing counts by these entries too: otherwise the removed
  /// machine could keep its removal from a branch by closing it in favour of one that cannot be followed.
  func verify(_ closing: Closing, asOpening isOpening: Bool = false) throws {
    let (settled, chain, published, length) = try local.store.read { reader in
      (
        try local.publishedLog(in: reader).membership, try local.branches(in: reader).chain,
        try reader.publishedLogLength(), try reader.settledLogLength()
      )
    }
    // What is missing may remove the machine that signed it.
    guard chain.incompleteBatch == nil, chain.missingRecordLists.isEmpty else {
      throw UnsoundObject("entries of the log, or lists of records, are missing", .unannounced)
    }
    let isAhead = isOpening && published > 0 && published < length
    try (isAhead ? membership(before: published + 1) : settled).verify(closing)
  }
}

/// Imports the records of a snapshot.
extension EpochImport {
  /// Imports the records of a chunk, which was compared with the checkpoint, and stores it, in one transaction.
  /// Superseded versions are imported with the whole snapshot: until then, it is not known what supersedes them. The
  /// author is the machine that made the snapshot.
  mutating func importRecords(of chunk: SnapshotChunk, by author: DeviceID, as blob: ObjectID) throws {
    let membership = try local.publishedMembership()
    let entries = chunk.entries.compactMap(\.record)
    // Before the transaction, for which other programs wait.
    let records = ExaminedRecord.examine(entries.map(\.bytes), by: membership)
    let evaluation = try local.store.write { writer in
      try writer.insert(chunk, published: blob.bytes)
      var evaluation = RecordEvaluation()
      for (entry, examined) in zip(entries, records) {
        do {
          try evaluate(examined.get(), entry.origin, membership, &evaluation, writer)
        } catch let error as FormatError {
          evaluation.faults.append(error.description)
        }
      }
      try report(evaluation, from: "in the snapshot of \(membership.name(of: author))")
      return evaluation
    }
    FaultPoint.reached(.chunkImported)
    refusals.records.merge(evaluation.refused, uniquingKeysWith: +)
  }

  private func evaluate(
    _ examined: ExaminedRecord, _ origin: SnapshotEntry.Origin?, _ membership: Membership,
    _ evaluation: inout RecordEvaluation, _ writer: borrowing StoreWriter
  ) throws {
    let record = examined.record
    guard !record.header.isDeviceLocal else {
      throw FormatError(.invalidValue, object: "record", field: "device local")
    }
    switch examined.validity(in: membership) {
    case .valid: if try writer.insert(record, validity: .valid, intoOutbox: false) { evaluation.validCount += 1 }
    case .unknownAuthor, .notEntitled:
      let isAuthentic = membership.authors[record.header.author] != nil
      let place = origin.map { UnadmittedRecord(record, at: $0, isAuthentic: isAuthentic) }
      guard try record.bytes.count <= contentSpace(for: origin?.device, writer),
        try writer.insertContents(of: record, place)
      else { return }
      useContentSpace(record.bytes.count, for: origin?.device)
      let isPending = try place.map { try $0.log > writer.publishedLogLength() } ?? false
      evaluation.add(record.header, from: origin?.device, isPending: isPending, in: membership)
    case .invalid(let reason): evaluation.faults.append(reason)
    }
  }
}

extension SnapshotEntry {
  /// The bytes of a record with its contents, and where it was if it is pending; nil for a superseded one.
  var record: (bytes: [UInt8], origin: Origin?)? {
    switch self {
    case .record(let bytes): (bytes, nil)
    case .pending(let bytes, let origin): (bytes, origin)
    case .skeleton: nil
    }
  }
}
