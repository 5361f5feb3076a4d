internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// The change to a later epoch: everything is verified before the first row changes that would count as a change of
/// epoch, and the change itself is one transaction. A machine that is interrupted before goes on with the next sync.
extension Importer {
  /// The number of epochs that one change can pass, of which each has a checkpoint.
  private static let chainLength: UInt32 = 4_096

  /// Follows a later epoch, whose branch is at `tip` in the cache. `own` is the commit at which this machine has begun
  /// that branch. `closing` is that of this epoch that names the branch; with nil, the one that begins the branch is
  /// trusted. Returns false if the branch cannot be followed: the report says why, and nothing has changed that counts.
  mutating func adopt(
    _ next: EpochBranch, at tip: ObjectID, or own: ObjectID? = nil, after closing: SealedClosing?
  ) throws -> Bool {
    guard let fault = try faultOfAdoption(of: next, at: tip, tip, after: closing) else { return true }
    // Before somebody changed it, the branch had everything with which the epoch begins.
    for commit in try (own.map { [$0] } ?? []) + commitsBeforeLosses(in: tip).prefix(Self.formerCommitCount) {
      if try faultOfAdoption(of: next, at: commit, tip, after: closing) == nil { return true }
    }
    reportUnsound("has a branch \(next.name) that cannot be followed: \(fault.reason)")
    return false
  }

  /// The number of earlier commits at which a branch is tried.
  private static let formerCommitCount = 8

  /// Follows a later epoch as it was at a commit of its branch, whose latest one is `tip`. `closing` is as in
  /// ``adopt(_:at:or:after:)``. Returns why it cannot be followed; nil if it is followed now.
  private mutating func faultOfAdoption(
    of next: EpochBranch, at commit: ObjectID, _ tip: ObjectID, after closing: SealedClosing?
  ) throws -> UnsoundObject? {
    try loadEpoch()
    do {
      let genesis = try local.membership().genesis
      guard try repository.soundBlob(at: RemoteLayout.Place.genesis.path, in: commit) == genesis.bytes else {
        throw UnsoundObject("it has another genesis, or none")
      }
      try importMembership(at: commit)
      // Files that are no entries do not count: the checkpoint names the entry with which the log must agree.
      guard try local.fork() == nil, log.withdrawnSuccession == nil else {
        throw UnsoundObject("its log is not the one that this machine follows")
      }
      try segments.revalidateRecords()
      let closing = try closing ?? verifiedOpening(of: next, at: tip)
      let chain = try checkpoints(through: next.epoch, at: commit)
      guard let last = chain.last?.checkpoint, last.hash == closing.closing.checkpoint else {
        throw UnsoundObject("its checkpoint is not the one with which the epoch before ended")
      }
      try compareStreams(with: last)
      try importSnapshot(of: last, at: commit)
      try follow(next, at: commit, closing, chain)
      return nil
    } catch {
      guard let fault = UnsoundObject(error) else { throw error }
      return fault
    }
  }

  // MARK: The log

  /// Imports the log of another branch. What it lacks of this machine's log is sent after the change of epoch.
  mutating func importMembership(at tip: ObjectID) throws {
    let files = try MembershipFiles(at: tip, of: repository)
    log.files.log.merge(files.log) { _, new in new }
    log.files.recordLists.merge(files.recordLists) { _, new in new }
    log.files.rootSlots.merge(files.rootSlots) { _, new in new }
    try log.run()
  }

  // MARK: The checkpoints

  private func verifiedOpening(of next: EpochBranch, at tip: ObjectID) throws -> SealedClosing {
    let openings = try openings(of: next, at: tip)
    guard let last = openings.first else { throw UnsoundObject("it was never opened") }
    if let valid = try openings.first(where: { try epoch.counts($0.closing, asOpening: true) }) { return valid }
    try epoch.verify(last.closing, asOpening: true)
    return last
  }

  /// Whether somebody with a transport key has made the checkpoint with which a branch begins.
  func hasCheckpoint(_ branch: EpochBranch, at tip: ObjectID) throws -> Bool {
    try UnsoundObject.ignoring {
      let path = RemoteLayout.Place.checkpoint(branch.epoch).path
      let file = try repository.blob(at: path, in: tip, maximumByteCount: Limits.objectByteCount)
      return try file.map { try epoch.openCheckpoint($0).epoch == branch.epoch } ?? false
    } ?? false
  }

  /// Who has opened a branch.
  enum Opener {
    /// A machine that may end an epoch, by the log that the remote has.
    case counts
    /// A machine that the log has enrolled, by its name, and that may not: it is no admin's, or was removed.
    case notPermitted(String)
    /// Nobody that the log knows. An attacker with push access could have copied the file from another branch.
    case nobody
  }

  /// Finds out who has opened a branch. The logs of all branches must have been imported.
  func opener(of branch: EpochBranch, at tip: ObjectID) throws -> Opener {
    try UnsoundObject.ignoring { () -> Opener in
      let membership = try local.publishedMembership()
      let signed = try openings(of: branch, at: tip).map(\.closing).filter { closing in
        membership.devices[closing.device].map { closing.isSigned(by: $0.keys.verifying) } ?? false
      }
      guard let last = signed.first else { return .nobody }
      if try signed.contains(where: { try epoch.counts($0, asOpening: true) }) { return .counts }
      // What is missing could permit it.
      return try log.isLogComplete() ? .notPermitted(membership.name(of: last.device)) : .counts
    } ?? .nobody
  }

  /// Reads the files with which a branch begins: the one that it has, and those that it has had. An attacker with push
  /// access could have put back one that an admin's machine has replaced.
  private func openings(of branch: EpochBranch, at tip: ObjectID) throws -> [SealedClosing] {
    var openings: [SealedClosing] = []
    _ = try repository.firstVersion(of: RemoteLayout.opened, in: tip, maximumByteCount: EpochImport.closingByteCount) {
      file in
      if let found = try UnsoundObject.ignoring({ try epoch.openClosing(file) }), found.closing.next == branch {
        openings.append(found)
      }
      return nil as SealedClosing?
    }
    return openings
  }

  /// Names a branch that does not count, because of the one who has opened it. Returns false if it counts.
  func reportVoid(_ branch: EpochBranch, openedBy opener: Opener) -> Bool {
    switch opener {
    case .counts: return false
    case .notPermitted(let machine):
      reportProblem(
        .refused,
        "has a branch \(branch.name) that the machine \(machine) has begun, which must not do that: the vault does not continue there"
      )
    case .nobody:
      reportUnsound("has a branch \(branch.name) that cannot be followed: no machine of the vault has begun it")
    }
    return true
  }

  /// What to do if the machines of a vault were led to branches that contradict each other.
  private static let division =
    "if the host has shown your machines different branches, join them again with `coffer clone --rejoin` on this machine"

  /// Reads and verifies the checkpoints after that of this epoch, each of which names the one before it.
  private func checkpoints(
    through last: UInt32, at tip: ObjectID
  ) throws -> [(checkpoint: Checkpoint, file: ObjectID)] {
    guard last > epoch.branch.epoch, last - epoch.branch.epoch <= Self.chainLength else {
      throw UnsoundObject("it is \(last - epoch.branch.epoch) epochs ahead")
    }
    guard epoch.branch.epoch < Checkpoint.firstEpoch || epoch.checkpoint != nil else {
      throw VaultError(
        .integrity, "the store has lost the checkpoint of epoch \(epoch.branch.epoch)",
        recoverySuggestion: "build the store anew: coffer clone --rejoin")
    }
    var chain: [(checkpoint: Checkpoint, file: ObjectID)] = []
    var previous = epoch.checkpoint?.hash ?? .beforeFirst
    for number in epoch.branch.epoch + 1...last {
      let path = RemoteLayout.Place.checkpoint(number).path
      guard let file = try repository.blob(at: path, in: tip, maximumByteCount: Limits.objectByteCount) else {
        throw UnsoundObject("it lacks \(path)")
      }
      let next = try epoch.openCheckpoint(file)
      guard next.epoch == number, next.previous == previous else {
        throw UnsoundObject(
          "\(path) does not follow the checkpoint of epoch \(number - 1) that this machine has followed; \(Self.division)"
        )
      }
      try epoch.verify(next)
      chain.append((next, try ObjectID.ofFile(file)))
      previous = next.hash
    }
    return chain
  }

  /// Compares the positions of a checkpoint with every stream that this machine has. A segment that was never published
  /// proves nothing: a copy of this machine may have used its number. Neither does a segment of another machine, unless
  /// the epoch before had the stream: the author of the checkpoint may have met a wrong one first, and nothing is lost.
  private func compareStreams(with checkpoint: Checkpoint) throws {
    let membership = try local.publishedMembership()
    try local.store.read { reader in
      for stream in checkpoint.streams {
        let position = stream.position
        let isOfOther = try reader.streamHead(of: position.stream).map { $0.device != stream.device } ?? false
        let isContradicted =
          isOfOther
          ? epoch.checkpoint?.end(of: position.stream) != nil
          : try isContradicted(position, reader)
            && reader.segment(position.stream, position.number)?.isPublished ?? false
        guard !isContradicted else {
          throw UnsoundObject(
            "the checkpoint of \(membership.name(of: checkpoint.device)) names another segment \(position.number) of stream \(position.stream) than this machine has; \(Self.division)"
          )
        }
      }
    }
  }

  private func isContradicted(
    _ position: StreamPosition, _ access: borrowing some StoreAccess & ~Copyable
  ) throws(StoreError) -> Bool {
    try access.comparison(with: position) == .different
  }

  /// Whether this machine lacks segments of a stream that a snapshot covers.
  private func isBehind(_ stream: CoveredStream, _ writer: borrowing StoreWriter) throws(StoreError) -> Bool {
    try writer.streamHead(of: stream.position.stream).map { $0.position.number < stream.position.number } ?? true
  }

  // MARK: The snapshot

  private mutating func importSnapshot(of checkpoint: Checkpoint, at tip: ObjectID) throws {
    for index in checkpoint.chunks.indices {
      let number = UInt32(index)
      let path = RemoteLayout.Place.chunk(number).path
      guard let file = try repository.blob(at: path, in: tip, maximumByteCount: Limits.objectByteCount) else {
        throw UnsoundObject("it lacks \(path)")
      }
      let chunk = try epoch.openChunk(file, number, of: checkpoint)
      epoch.report(imported: index, of: checkpoint.chunks.count)
      // It was imported before an interruption.
      if try epoch.isHeld(chunk) { continue }
      try epoch.importRecords(of: chunk, by: checkpoint.device, as: ObjectID.ofFile(file))
    }
  }

  /// Changes the epoch, in one transaction.
  private mutating func follow(
    _ next: EpochBranch, at tip: ObjectID, _ opening: SealedClosing,
    _ chain: [(checkpoint: Checkpoint, file: ObjectID)]
  ) throws {
    guard let checkpoint = chain.last?.checkpoint else { return }
    let membership = try local.publishedMembership()
    let own = ownDevice(in: membership.vault)
    var isCopied = false
    try local.store.write { writer in
      var displaced: [(stream: CoveredStream, holder: DeviceID)] = []
      for (checkpoint, file) in chain { try writer.insert(checkpoint, published: file.bytes) }
      let snapshot = try insertSkeletons(of: checkpoint, by: membership, writer)
      for stream in checkpoint.streams {
        let isCopy = try stream.device == own && isBehind(stream, writer)
        if isCopy { isCopied = true }
        if let head = try writer.streamHead(of: stream.position.stream), head.device != stream.device {
          try segments.withdraw(stream.position.stream, from: 0)
          displaced.append((stream, head.device))
        } else if try isCopy || isContradicted(stream.position, writer) {
          // The snapshot may stand for others under the numbers of all segments that were not published.
          let unsent = try writer.unpublishedSegments().map(\.position).filter { $0.stream == stream.position.stream }
          if let first = unsent.map(\.number).min() { try segments.withdraw(stream.position.stream, from: first) }
          if stream.device == own { isCopied = true }
        }
        try keepUnadmittedRecords(coveredBy: stream, writer)
        try writer.coverSegments(through: stream)
      }
      try segments.countReports(writer, after: checkpoint)
      try writer.unpublishSegments()
      try writer.setEpoch(next, opening: opening.file)
      try BranchBook.update(in: local.store) { book in book.remove { $0.kind == .candidate } }
      try writer.setSetting(.refusedEpochSize, nil)
      try writer.setSetting(.measuredEpochSize, nil)
      try writer.deleteChunks(exceptOf: next.epoch)
      // A machine that has never synced finds out afterwards which records are in no segment.
      let isKnown = try writer.setting(.remoteTip) != nil && writer.setting(.awaitedRepair) == nil
      try writer.setSetting(.remoteTip, tip.bytes)
      if !isKnown { isCopied = false }
      let sentCount = isKnown ? try sendMissingHeads(besides: snapshot, writer) : 0
      // Its author has met a wrong segment first, or lies.
      for (stream, holder) in displaced {
        reportProblem(
          .contradiction,
          "has a checkpoint of \(membership.name(of: checkpoint.device)) in which stream \(stream.position.stream) is that of \(membership.name(of: stream.device)), and here it is that of \(membership.name(of: holder)): the items of both are kept"
        )
      }
      if sentCount > 0 {
        reportProblem(
          .missing,
          "has a snapshot of \(membership.name(of: checkpoint.device)) that lacks \(sentCount) current versions of items, which this machine sends again"
        )
      }
      try session.keepProblems()
    }
    if isCopied { report.isClonedDevice = true }
    FaultPoint.reached(.epochAdopted)
    try loadEpoch()
  }

  /// Inserts the superseded versions of a snapshot. Returns the hashes of its records, and of these versions.
  private func insertSkeletons(
    of checkpoint: Checkpoint, by membership: Membership, _ writer: borrowing StoreWriter
  ) throws -> (records: Set<RecordHash>, superseded: Set<RecordHash>) {
    var records: Set<RecordHash> = []
    var superseded: Set<RecordHash> = []
    for index in checkpoint.chunks.indices {
      guard let bytes = try writer.object(.chunk(UInt32(index), epoch: checkpoint.epoch)) else {
        throw UnsoundObject("a chunk is missing in the store")
      }
      let chunk = try translatingErrors { () throws in try SnapshotChunk(bytes: bytes) }
      var skeletons: [RecordSkeleton] = []
      for entry in chunk.entries {
        switch entry {
        // A pending record may count since.
        case .record(let bytes), .pending(let bytes, _):
          // A copy with another signature than the one here could be one that others refuse.
          guard let record = try? Record(bytes: bytes) else { continue }
          let isHeld = try writer.record(record.hash)?.signedBytes == record.signedBytes
          if isHeld || membership.validity(of: record) == .valid { records.insert(record.hash) }
        case .skeleton(let bytes):
          guard let skeleton = try? RecordSkeleton(bytes: bytes) else { continue }
          superseded.insert(skeleton.hash)
          if try !writer.isHeld(skeleton) { skeletons.append(skeleton) }
        }
      }
      for (skeleton, isPermitted) in zip(skeletons, skeletons.concurrentMap { Self.isPermitted($0, by: membership) })
      where isPermitted {
        try writer.insert(skeleton)
      }
    }
    try writer.finishSkeletons()
    return (records, superseded)
  }

  /// Whether a superseded version counts: its author signed it and may write it.
  private static func isPermitted(_ skeleton: RecordSkeleton, by membership: Membership) -> Bool {
    let header = skeleton.header
    guard header.vault == membership.vault, !header.isDeviceLocal, let author = membership.authors[header.author],
      membership.permits(header.author, toWrite: skeleton.hash, in: header.group)
    else { return false }
    return skeleton.isSigned(by: author.keys.verifying)
  }

  /// Keeps the contents of the pending and refused records whose segments leave the store.
  private func keepUnadmittedRecords(coveredBy stream: CoveredStream, _ writer: borrowing StoreWriter) throws {
    let (stream, last) = (stream.position.stream, stream.position.number)
    for number in try writer.unadmittedSegments(of: stream, through: last) {
      guard let stored = try writer.segment(stream, number), let segment = stored.segment(openedBy: device) else {
        continue
      }
      let places = Dictionary(try writer.unadmitted(in: stream, number).map { ($0.hash, $0) }) { first, _ in first }
      try writer.removeUnadmitted(in: stream, number)
      for bytes in segment.records {
        guard let record = try? Record(bytes: bytes), let place = places[record.copyHash],
          try bytes.count <= contentSpace(for: segment.device, writer)
        else { continue }
        if try writer.insertContents(of: record, place) { useContentSpace(bytes.count, for: segment.device) }
      }
    }
  }

  /// Puts the current versions that are neither in the snapshot nor in a segment into the outbox, and what they have
  /// superseded since one that is: without that, an earlier one would be current on other machines. Returns the number
  /// of the current ones.
  private func sendMissingHeads(
    besides snapshot: (records: Set<RecordHash>, superseded: Set<RecordHash>), _ writer: borrowing StoreWriter
  ) throws -> Int {
    var known = try snapshot.records.union(writer.recordsInSegments(openedBy: device))
    let missing = try writer.sharedHeads().filter { !known.contains($0) }
    try writer.addToOutbox(missing)
    known.formUnion(snapshot.superseded)
    var unsent = try writer.outboxRecords()
    while let next = unsent.popLast() {
      for base in try writer.bases(of: next) where known.insert(base).inserted {
        try writer.addToOutbox([base])
        unsent.append(base)
      }
    }
    return missing.count
  }
}

/// The closing of an epoch with its file at the remote, which the branch of the next epoch repeats.
struct SealedClosing {
  let closing: Closing
  let file: [UInt8]
}
