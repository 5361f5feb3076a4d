internal import CofferCrypto
internal import CofferFormat
internal import CofferGit
internal import CofferPlatform
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault
internal import Logging

/// The exchange with the branch that the vault is on: fetches, imports and pushes until the remote has every object
/// that this machine has. If the vault continues on another branch, the exchange goes on there.
struct BranchExchange: SyncPart {
  let session: SyncSession
  /// Whether the store was repaired before this sync.
  private let isRepaired: Bool

  /// What an attempt comes to.
  private enum Outcome {
    case finished
    /// Another machine has ended an epoch while this one read the branches: what it does not see may not be lost.
    case outdated
    /// Another machine has pushed in the meantime.
    case lostRace
    /// There is more to exchange: the vault continues on another branch, which this machine follows now, or the remote
    /// has only got the log yet.
    case unfinished
  }

  /// What is known about a branch before the first attempt on it.
  private struct Beginning {
    let branch: EpochBranch
    let hasSynced: Bool
    /// Whether this machine has never finished a sync: an interrupted first one has imported a part of the history.
    let isNew: Bool
    /// Whether it has never finished one with this remote.
    var isFirst: Bool { isNew || !hasSynced }
    /// Whether the repository may have something else beside the vault.
    let isShared: Bool
    /// The repair that waits for an import.
    let awaitedRepair: [UInt8]?
  }

  /// What earlier attempts on a branch came to.
  struct Earlier {
    var lostRaces = 0
    var outdatedCount = 0
    /// Where the branch was when the remote did not accept the last push, and why it did not.
    var refusal: (tip: ObjectID?, reason: String)?
  }

  static let attempts = 12
  /// The number of outdated attempts after which a machine whose branch is there goes on with what it has seen.
  private static let outdatedLimit = 3
  /// The number of epochs that one sync moves on: each must be new, so only a hostile remote has more.
  private static let maximumMoves = 64

  private var epochs: EpochExchange { EpochExchange(session: session) }
  var lanes: LaneExchange { LaneExchange(session: session) }

  /// `isRepaired` is whether the store was repaired before this sync.
  init(_ session: SyncSession, isRepaired: Bool) {
    self.session = session
    self.isRepaired = isRepaired
  }

  /// Exchanges objects until nothing is left to do. Throws errors of git and of the store only if they are not the
  /// remote's fault.
  func run() throws {
    let knownApps = try offeredApps(in: local.membership())
    var beginning = try beginning()
    if !beginning.hasSynced, try followFirst(after: beginning.branch) { beginning = try self.beginning() }
    for move in 0... {
      guard try exchange(beginning, mayMove: move < Self.maximumMoves) else { break }
      beginning = try self.beginning()
    }
    let apps = try offeredApps(in: local.membership())
    report.setApps(without: apps.filter { !local.folder.hasCredential(of: $0) }, earlier: knownApps)
  }

  private func beginning() throws -> Beginning {
    let (branch, hasSynced) = (try local.epochBranch(), try local.hasSynced())
    return try local.store.read { reader in
      Beginning(
        branch: branch, hasSynced: hasSynced, isNew: try reader.setting(.lastSync) == nil,
        isShared: try reader.setting(.sharesRemote) != nil, awaitedRepair: try reader.setting(.awaitedRepair))
    }
  }

  /// Exchanges objects with one branch. Returns whether there is more to exchange.
  private func exchange(_ beginning: Beginning, mayMove: Bool) throws -> Bool {
    var earlier = Earlier()
    for attempt in 0..<Self.attempts {
      if attempt > 0 { try backOff(attempt) }
      if attempt > 0 { report.retryCount += 1 }
      switch try self.attempt(beginning, mayMove: mayMove, after: &earlier) {
      case .finished: return false
      case .unfinished: return true
      case .outdated: earlier.outdatedCount += 1
      case .lostRace: earlier.lostRaces += 1
      }
    }
    throw changes
  }

  /// What stops a sync that others do not let come to its end.
  private var changes: VaultError {
    VaultError(
      .network, "other machines changed \(url) \(Self.attempts) times while this one tried",
      recoverySuggestion: "sync again in a while; nothing is lost")
  }

  /// Takes what was known before the first attempt. `mayMove` is whether this sync may follow another branch.
  private func attempt(_ beginning: Beginning, mayMove: Bool, after earlier: inout Earlier) throws -> Outcome {
    let folded = try local.store.read { try RememberedTips.load(.foldedLanes, from: $0) }
    let remote = try fetch(beginning.branch, without: folded)
    defer {
      remote.forgetLanes(in: repository)
      BranchFetch.forget(in: repository)
    }
    let (hasOwn, before) = (remote.tip != nil, report)
    // An attacker with push access could create and delete branches all the time.
    let others = try epochs.examine(
      remote, hasOwn: hasOwn, acceptsGone: hasOwn && earlier.outdatedCount >= Self.outdatedLimit)
    if others.isOutdated {
      report.forgetProblems(since: before)
      return .outdated
    }
    if !hasOwn, let outcome = try followLaterBranch(remote, others, beginning, mayMove: mayMove) { return outcome }
    if !beginning.isShared { try remote.checkIsFree(at: url, isKnown: beginning.hasSynced) }
    if let refusal = earlier.refusal, refusal.tip == remote.tip {
      throw VaultError(
        .network, "\(url) refuses what this machine pushes: \(refusal.reason)",
        recoverySuggestion:
          "nothing is lost; allow pushes to the branch \(beginning.branch.name) on the host, then run: coffer sync")
    }
    let end = try remote.tip.flatMap { try ending(of: $0) }
    if beginning.isNew, earlier.lostRaces == 0, let tip = end ?? remote.tip { try importHistory(of: tip) }
    let known = report
    // What lands on the branch after its end does not count.
    var importer = try importObjects(of: remote, at: end ?? remote.tip)
    if let closing = importer.epoch.closing {
      return try follow(closing, remote, others, beginning, at: end, mayMove: mayMove)
    }
    if end != nil, end != remote.tip { importer = try importObjects(of: remote, at: remote.tip) }
    try importer.log.discardStaleRevocations()
    try importer.log.discardEndedApprovals()
    // By the log of the next branch, the machine that has ended this epoch may have been removed since. Whoever follows
    // that branch keeps the problems of the report.
    let doubtful = report.problems
    if end != nil { report.forgetProblems(since: known) }
    if hasOwn, let outcome = try followLaterBranch(remote, others, beginning, hasEnd: end != nil, mayMove: mayMove) {
      return outcome
    }
    for problem in doubtful { report.add(problem.kind, problem.message) }
    // On another branch, its snapshot comes first.
    if let awaited = beginning.awaitedRepair { try finishRepair(awaited) }
    if !others.hasMoved { importer.reportLogOfOtherBranches() }
    try epochs.settle(others, on: beginning.branch)
    try session.keepProblems()
    try importer.segments.rememberRefusedFiles()
    let tip: ObjectID?
    switch try send(to: remote, &importer, after: &earlier) {
    case .done(let commit): tip = commit
    case .begun: return .unfinished
    case .lostRace: return .lostRace
    }
    try lanes.remove(importer.segments.foldedLanes(), of: remote.laneTips, remembered: folded)
    try epochs.deleteBranches(remote, others)
    try finish(at: tip)
    try InvitationExchange(session: session).run(remote.invitations)
    session.syncedReferences = remote.references(at: tip)
    return .finished
  }

  // MARK: Receiving

  private func fetch(
    _ branch: EpochBranch, without folded: RememberedTips
  ) throws -> RemoteState {
    logger.debug("fetching")
    steps.connect()
    let remote = try RemoteState.fetch(
      branch, from: connection, lanes: { !folded.tips.contains($0) }, progress: steps.receive)
    FaultPoint.reached(.remoteFetched)
    if let fault = remote.laneFault { reportUnsound("has a lane that cannot be fetched: \(fault.message)") }
    return remote
  }

  private func importObjects(of remote: RemoteState, at tip: ObjectID?) throws -> Importer {
    var importer = Importer(session)
    try importer.run(at: tip, lanes: remote.lanes)
    return importer
  }

  /// Imports the branch as it was each time before files were changed or removed. A new machine then knows what those
  /// knew which followed the branch, and names and repairs what somebody has altered since.
  private func importHistory(of tip: ObjectID) throws {
    for commit in try commitsBeforeLosses(in: tip) {
      var importer = Importer(session)
      try importer.importHistory(at: commit)
    }
  }

  /// Repairs what could only be repaired after an import: only now it is known which records are in no segment.
  private func finishRepair(_ awaited: [UInt8]) throws {
    // This machine's own segments came back from the remote.
    if isRepaired || awaited != Setting.outboxUnknown { report.isClonedDevice = false }
    for line in try StoreRepair.repairAfterImport(local.folder, isRejoining: awaited == Setting.rejoined) {
      try reportOnce(.store, line)
    }
  }

  // MARK: Epochs

  /// Follows the branch of a later epoch, although this machine has seen no end of its own that counts: the remote has
  /// lost the branch that it was on, somebody has set that one back, or the machine that ended the epoch was removed
  /// since, which a change to the next epoch that was interrupted has told this machine. Returns nil if there is none
  /// that a machine has opened which may do that. `hasEnd` is whether the branch has an end that does not count, and
  /// `mayMove` whether this sync may follow another branch.
  private func followLaterBranch(
    _ remote: RemoteState, _ others: OtherBranches, _ beginning: Beginning, hasEnd: Bool = false, mayMove: Bool
  ) throws -> Outcome? {
    let name = remote.branch.name
    // An epoch that ends at this moment has the branch of the next one already.
    let isLost = remote.tip == nil
    let found = try epochs.followLatest(
      of: others, after: remote.branch, onlySeenBefore: !isLost && !hasEnd && !beginning.isFirst)
    if !isLost { try others.rememberSight(after: remote.branch.epoch, in: local.store) }
    switch found {
    case .followed where mayMove:
      if !isLost, !hasEnd, !beginning.isFirst {
        report.add(
          .contradiction,
          "\(url) has shown the branch \(name) without its end, although the vault continues on another one: it was set back, or somebody has pushed to it"
        )
      }
      return .unfinished
    case .followed: return .finished
    case .none, .outdated: return nil
    case .unread, .blocked:
      guard isLost else { return nil }
      if found == .unread, beginning.isFirst { throw unread }
      epochs.reportLost(remote.branch, found)
      try finishWithoutSending(at: nil)
      return .finished
    }
  }

  /// What stops the first sync: it is not over before it has learned what the history shows.
  private var unread: VaultError {
    VaultError(
      .network, "\(url) has branches of epochs that could not be read, and the vault may continue on one of them",
      recoverySuggestion: EpochExchange.unreadAdvice)
  }

  /// Follows the latest epoch, on a machine that has never synced with the remote: it imports no earlier one.
  private func followFirst(after branch: EpochBranch) throws -> Bool {
    for attempt in 0..<Self.attempts {
      if attempt > 0 { try backOff(attempt) }
      var remote = try RemoteState.list(branch, at: connection)
      guard remote.epochs.keys.contains(where: { $0.epoch > branch.epoch }) else { return false }
      // The log of the first epoch's branch counts like those of the others.
      if remote.tip != nil { remote = try .fetch(branch, from: connection, progress: steps.receive) }
      defer { BranchFetch.forget(in: repository) }
      let others = try epochs.examine(remote, hasOwn: false)
      session.otherLogPlaces = []
      if !others.isOutdated { return try epochs.followLatest(of: others, after: branch) == .followed }
    }
    throw changes
  }

  private func follow(
    _ closing: SealedClosing, _ remote: RemoteState, _ others: OtherBranches, _ beginning: Beginning,
    at end: ObjectID?, mayMove: Bool
  ) throws -> Outcome {
    guard mayMove else {
      report.add(
        .contradiction,
        "\(url) continues the vault on more than \(Self.maximumMoves) branches: sync again to follow them")
      return .finished
    }
    switch try epochs.follow(closing, remote, others) {
    case .followed: return .unfinished
    case .outdated: return .outdated
    case .unread where beginning.isFirst: throw unread
    case .unread, .blocked, .none: break
    }
    try repository.setReference(RemoteLayout.cached, to: remote.tip)
    try finishWithoutSending(at: end)
    return .finished
  }

  /// Returns the commit at which the epoch of a branch may have ended; nil if it has not. One that this machine has
  /// seen and gone on after was not valid, and is looked at where the branch is now. So is one that was never a commit
  /// of this branch: a merge can name any commit first.
  private func ending(of tip: ObjectID) throws -> ObjectID? {
    guard let end = try repository.commit(thatAdded: RemoteLayout.closed, to: tip) else { return nil }
    let genesis = try local.membership().genesis.bytes
    guard try repository.soundBlob(at: RemoteLayout.Place.genesis.path, in: end) == genesis else { return tip }
    guard let seen = try local.store.read({ try $0.setting(.remoteTip) }).flatMap({ ObjectID(bytes: $0) }) else {
      return end
    }
    // The host may have set the branch back.
    return try repository.isAncestor(seen, of: end) || !repository.isAncestor(seen, of: tip) ? end : tip
  }

  // MARK: The end

  /// Ends a sync that sends nothing, because the vault continues on a branch that cannot be followed now.
  private func finishWithoutSending(at tip: ObjectID?) throws {
    if let fork = try local.fork() {
      report.add(.contradiction, fork.error.description)
      if fork.isResolvable {
        report.add(
          .contradiction,
          "if `coffer log resolve` says here that \(url) lacks the branch on which the vault continues, set a new, empty repository first: coffer remote set URL; then run on the others: coffer clone --rejoin --accept-fork URL"
        )
      }
    }
    if try local.store.read({ try $0.hasDrafts() }) {
      report.membershipObstacle = "\(url) lacks the branch on which the vault continues"
    }
    try finish(at: tip)
  }

  /// Records what the remote had, and completes the report.
  private func finish(at tip: ObjectID?) throws {
    try session.keepProblems()
    var report = report
    let isKnown = try local.store.read { reader in
      report.epoch = try reader.epochBranch().epoch
      report.membershipEntries = Int(clamping: try reader.publishedLogLength())
      let membership = try local.membership(in: reader)
      report.unadmittedRecords = try UnadmittedRecords.load(from: reader, of: local, in: membership)
      report.items = try membership.groups.keys.reduce(0) { try $0 + reader.syncedItemCount(in: $1) }
      report.conflictCount = try membership.groups.keys.reduce(0) { try $0 + reader.conflictCount(in: $1) }
      return try isRecorded(tip, reader)
    }
    self.report = report
    // Most syncs find nothing, and the disk acknowledges each transaction.
    if isKnown { return }
    try local.store.write { writer in
      let text = try writer.setting(.remoteURL).flatMap { String(validating: $0, as: UTF8.self) }
      // Another remote may have been set meanwhile.
      guard let text, (try? RemoteURL(text))?.description == url.description else { return }
      if let tip { try writer.setSetting(.remoteTip, tip.bytes) }
      try writer.setSetting(.lastSync, Timestamp.now.stored)
    }
  }

  /// Whether the store has the state of the remote, and a time of the last sync that is not old.
  private func isRecorded(_ tip: ObjectID?, _ reader: borrowing StoreReader) throws -> Bool {
    guard try tip == nil || reader.setting(.remoteTip) == tip?.bytes,
      let last = try reader.setting(.lastSync).flatMap({ Timestamp(stored: $0) })
    else { return false }
    // A time in the future is one of a clock that was wrong.
    return (0..<Self.recordingInterval).contains(Timestamp.now.date.timeIntervalSince(last.date))
  }

  /// In seconds. The file of the sync health has the exact time.
  private static let recordingInterval: TimeInterval = 3_600

  /// The apps that can have a credential on this machine.
  private func offeredApps(in membership: Membership) -> Set<ApplicationID> {
    membership.offeredApps(on: local.machine(in: membership)?.id)
  }

  /// Waits before the next attempt.
  private func backOff(_ attempt: Int) throws {
    logger.debug("waiting before the next attempt")
    connection.wait(after: attempt)
    if connection.cancellation.isCancelled {
      throw VaultError(.cancelled, "interrupted; what has arrived is kept")
    }
  }
}
