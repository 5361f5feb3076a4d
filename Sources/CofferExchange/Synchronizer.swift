internal import CofferCrypto
internal import CofferFormat
package import CofferGit
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
package import CofferVault
internal import Foundation
package import Logging

/// One sync: fetches, imports and pushes until the remote has every object that this machine has.
///
/// It blocks: run it on a separate thread. It needs the device's keys and no group key.
package struct Synchronizer {
  private let local: LocalVault
  private let access: RemoteAccess
  private let limits: TransferLimits
  private let unadmittedByteLimit: Int
  private let cancellation: Cancellation
  private let repairs: [String]
  private let epochByteCount: Int
  private let steps: SyncSteps
  private let logger: Logger

  private static let attempts = 12
  /// The number of lost races after which a sync leaves its segments in a lane.
  private static let racesBeforeLane = 4

  /// Creates a sync of a vault.
  ///
  /// - Parameters:
  ///   - local: The vault.
  ///   - access: How to reach the remote, over what the vault has stored.
  ///   - limits: The maximum size and time of a transfer; nil for those of `access`.
  ///   - unadmittedByteLimit: The maximum size in bytes of pending and refused records that are in no segment of the
  ///     store, from each machine.
  ///   - epochByteCount: The size in bytes of an epoch's segments from which on an admin's machine begins another epoch, if
  ///     they are also four times as large as the snapshot.
  ///   - cancellation: Cancels the sync from another thread. Objects that were imported until then remain.
  ///   - repairs: What was repaired in the store before, a line each. They are the first problems of the report.
  ///   - logger: Receives the steps of the sync.
  ///   - progress: Is called at the beginning of each step, and while objects arrive and are imported; nil for no
  ///     reports.
  package init(
    _ local: LocalVault, access: RemoteAccess = RemoteAccess(), limits: TransferLimits? = nil,
    unadmittedByteLimit: Int = Limits.unadmittedByteCountPerDevice, epochByteCount: Int = 8 << 20,
    cancellation: Cancellation = Cancellation(),
    repairs: [String] = [], logger: Logger,
    progress: (@Sendable (SyncStep) -> Void)? = nil
  ) {
    self.local = local
    self.access = access
    steps = SyncSteps(progress)
    var limits = limits ?? access.limits
    limits.traffic = steps.makeTraffic()
    self.limits = limits
    self.unadmittedByteLimit = unadmittedByteLimit
    self.cancellation = cancellation
    self.repairs = repairs
    self.epochByteCount = epochByteCount
    self.logger = logger
  }

  /// Runs until the remote has accepted every object. If the epoch has become large, begins another one.
  ///
  /// - Throws: ``VaultError``: `network`, `integrity` for a remote that is another vault or none, `io` and others.
  ///   Problems that leave the rest usable are in the report instead.
  package func run() throws(VaultError) -> SyncReport {
    try withRemote { url, repository in
      var report = try exchange(with: url, through: repository)
      if try isEpochLarge(report) { _ = try beginEpoch(url, repository, keepingBranch: false, &report) }
      return report
    }
  }

  /// Syncs, begins another epoch, and syncs again.
  ///
  /// - Parameter keepsBranch: Whether the branch of the epoch before is kept.
  /// - Returns: The report of both syncs.
  /// - Throws: ``VaultError``: as ``run()``; `integrity` if the sync finds a problem; `notEntitled` if this machine must not
  ///   begin an epoch; `network` if the host refuses it, or other machines write all the time.
  package func compact(keepingBranch keepsBranch: Bool) throws(VaultError) -> SyncReport {
    try withRemote { url, repository in
      var report = try exchange(with: url, through: repository)
      guard report.problems.isEmpty, report.membershipObstacle == nil, report.recordsInLanes == 0 else {
        throw VaultError(
          .integrity,
          "the sync found a problem, so the epoch goes on: \(report.problems.first ?? "not everything could be pushed")",
          recoverySuggestion: "sync again: coffer sync")
      }
      if let obstacle = try EpochRoll.obstacle(in: local) {
        throw VaultError(
          .notEntitled, "this machine cannot begin an epoch: \(obstacle)",
          recoverySuggestion: "run coffer compact on an admin's machine after coffer sync")
      }
      switch try beginEpoch(url, repository, keepingBranch: keepsBranch, &report) {
      case .begun: return report
      case .refused:
        throw VaultError(
          .network, "\(url) does not accept the branch of another epoch",
          recoverySuggestion: "allow pushes to branches that begin with vault-; everything else works without")
      case .lost:
        throw VaultError(
          .network, "other machines wrote to \(url) while this one tried to begin another epoch",
          recoverySuggestion: "try again in a while; nothing is lost")
      }
    }
  }

  private func withRemote(_ body: (RemoteURL, Repository) throws -> SyncReport) throws(VaultError) -> SyncReport {
    let start = ContinuousClock.now
    guard let text = try local.textSetting(.remoteURL) else {
      throw VaultError(
        .invalidArgument, "this vault has no remote", recoverySuggestion: "set one with: coffer remote set URL")
    }
    let lock = try FileLock.acquire(path: local.folder.syncLockPath, timeout: .seconds(120), purpose: "sync")
    defer { _ = lock }
    let url = try translatingAll { () throws(GitError) in try RemoteURL(text) }
    var report = try translatingAll(suggestingCreationOf: local.hasSynced() ? nil : url) {
      let programs = access.programs(try local.remoteOptions())
      return try RemoteCache.withRepository(local.folder, programs: programs, logger: logger) { try body(url, $0) }
    }
    report.bytesReceived = steps.bytes.received
    report.bytesSent = steps.bytes.sent
    report.duration = .now - start
    return report
  }

  // MARK: Epochs

  /// Whether this machine should begin another epoch. Machines differ in the size, so that not all try it at once.
  private func isEpochLarge(_ report: SyncReport) throws -> Bool {
    guard report.problems.isEmpty, report.membershipObstacle == nil, report.membershipDiscarded == 0,
      report.recordsInLanes == 0, !report.isUnchanged
    else { return false }
    let size = try local.store.read { try $0.publishedSegmentByteCount() }
    // The size of a snapshot takes a look at every item, which few syncs need.
    guard size > epochByteCount else { return false }
    let limit = max(epochByteCount, 4 * (try local.store.read { try $0.snapshotByteCount() }))
    guard size > limit else { return false }
    let own = DeviceID(vault: try local.membership().vault, keys: try local.deviceFile().keys.publicKeys)
    let share = Int(own.raw.bytes[0])
    return try size > limit + limit / 4 * share / 255 && EpochRoll.obstacle(in: local) == nil
  }

  private func beginEpoch(
    _ url: RemoteURL, _ repository: Repository, keepingBranch keepsBranch: Bool, _ report: inout SyncReport
  ) throws -> EpochRoll.Outcome {
    guard let tip = try local.store.read({ try $0.setting(.remoteTip) }).flatMap({ ObjectID(bytes: $0) }) else {
      return .lost
    }
    steps.send()
    let roll = EpochRoll(
      local: local, exchange: epochExchange(url, repository), device: try local.deviceFile(), keepsBranch: keepsBranch)
    let outcome = try roll.run(onto: tip, &report)
    logger.debug("beginning an epoch", metadata: ["outcome": "\(outcome)"])
    if case .begun = outcome { report = try exchange(with: url, through: repository, continuing: report) }
    return outcome
  }

  private func epochExchange(_ url: RemoteURL, _ repository: Repository) -> EpochExchange {
    EpochExchange(
      local: local, repository: repository, url: url, limits: limits, unadmittedByteLimit: unadmittedByteLimit,
      cancellation: cancellation, logger: logger, progress: steps.report)
  }

  /// The number of epochs that one sync moves on: each must be new, so only a hostile remote has more.
  private static let maximumMoves = 64

  // MARK: The exchange

  private func exchange(
    with url: RemoteURL, through repository: Repository, continuing former: SyncReport? = nil, moves: Int = 0
  ) throws -> SyncReport {
    var report = former ?? SyncReport(remote: url.description)
    if former == nil { for repair in repairs { report.add(repair) } }
    let epochs = epochExchange(url, repository)
    let branch = try local.epochBranch()
    let (awaited, isShared) = try local.store.read { reader in
      (try reader.setting(.awaitedRepair), try reader.setting(.sharesRemote) != nil)
    }
    let knownApps = try offeredApps(in: local.membership())
    var lastRejection: (tip: ObjectID?, reason: String)?
    var device = try local.deviceFile()
    let hasSynced = try local.hasSynced()
    if !hasSynced, moves == 0, try epochs.followLatest(for: branch, &device, &report) {
      return try exchange(with: url, through: repository, continuing: report, moves: 1)
    }
    let lanes = LaneExchange(
      local: local, repository: repository, url: url, limits: limits, cancellation: cancellation, logger: logger)
    for attempt in 0..<Self.attempts {
      if attempt > 0 { try backOff(attempt) }
      report.retryCount = attempt
      logger.debug("fetching", metadata: ["attempt": "\(attempt + 1)"])
      steps.connect()
      let folded = try local.store.read { try FoldedLanes.load(from: $0) }.tips
      let remote = try RemoteState.fetch(
        branch, from: url, into: repository, lanes: { !folded.contains($0) }, limits: limits,
        cancellation: cancellation, progress: steps.receive)
      defer { remote.forgetLanes(in: repository) }
      FaultPoint.reached(.remoteFetched)
      if let fault = remote.laneFault {
        report.add("\(url) has a lane that cannot be fetched: \(fault.message)", isUnsoundObject: true)
      }
      if hasSynced, remote.tip == nil, !remote.laterEpochs(than: branch.epoch).isEmpty {
        if try moves < Self.maximumMoves && epochs.followLatest(remote, after: branch, &device, &report) {
          return try exchange(with: url, through: repository, continuing: report, moves: moves + 1)
        }
        report.add(
          "\(url) has lost the branch \(branch.name), and no other one continues it: nothing is sent until it is there again"
        )
        try finish(url, tip: nil, knownApps, &report)
        return report
      }
      if !isShared { try remote.checkIsFree(at: url, isKnown: local.hasSynced()) }
      if let rejection = lastRejection, rejection.tip == remote.tip {
        throw VaultError(
          .network, "\(url) refuses what this machine pushes: \(rejection.reason)",
          recoverySuggestion:
            "check your rights and the host's rules for the branch \(branch.name); nothing is lost, sync again")
      }
      var importer = Importer(
        local: local, repository: repository, url: url, device: device, unadmittedByteLimit: unadmittedByteLimit,
        logger: logger, report: report, progress: steps.report)
      let closed = try remote.tip.flatMap { try ending(of: $0, in: repository) }
      // What lands on the branch after its end does not count.
      try importer.run(at: closed ?? remote.tip, lanes: remote.lanes)
      if let closing = importer.closing, moves < Self.maximumMoves {
        (report, device) = (importer.report, importer.device)
        if try epochs.follow(closing, remote, &device, &report) {
          return try exchange(with: url, through: repository, continuing: report, moves: moves + 1)
        }
        try repository.setReference(RemoteLayout.cached, to: remote.tip)
        try finish(url, tip: closed, knownApps, &report)
        return report
      }
      if closed != nil, closed != remote.tip {
        importer = Importer(
          local: local, repository: repository, url: url, device: importer.device,
          unadmittedByteLimit: unadmittedByteLimit, logger: logger, report: importer.report, progress: steps.report)
        try importer.run(at: remote.tip, lanes: remote.lanes)
      }
      try importer.discardStaleRevocations()
      report = importer.report
      // Keep a transport key that this attempt imported: an older copy of the file would overwrite it in the next
      // attempt.
      device = importer.device
      if awaited != nil {
        // This machine's own segments came back from the remote.
        if !repairs.isEmpty || awaited != Setting.outboxUnknown { report.isClonedDevice = false }
        // Only now it is known which records are in no segment.
        for line in try StoreRepair.repairAfterImport(local.folder, isRejoining: awaited == Setting.rejoined) {
          report.add(line)
        }
      }

      func end(at tip: ObjectID?, _ report: inout SyncReport) throws {
        try lanes.remove(importer.foldedLanes(), of: remote.laneTips)
        try epochs.deleteBranches(remote)
        try finish(url, tip: tip, knownApps, &report)
        try exchangeInvitations(remote, url, repository, &report)
      }
      guard importer.withdrawnSuccession == nil else {
        if try local.store.read({ try !$0.unpublishedLogEntries().isEmpty }) {
          report.membershipObstacle =
            "the remote's log withdraws the replacement of the vault key that this machine has seen"
        }
        try end(at: remote.tip, &report)
        return report
      }
      let outgoing = try OutgoingObjects.sealOutbox(
        of: local, device: device, lost: importer.lost, unresolved: importer.unresolved)
      report.membershipObstacle = outgoing.membershipObstacle
      guard !outgoing.files.isEmpty else {
        try end(at: remote.tip, &report)
        return report
      }
      if remote.tip == nil, remote.isEmpty { try pushReadme(to: url, through: repository) }
      steps.send()
      logger.debug("pushing", metadata: ["files": "\(outgoing.files.count)"])
      // Otherwise a file in place of a folder, or a folder in place of a file, would block the pushes of every machine
      // for ever.
      let obstacles = try remote.tip.map { try repository.obstacles(to: outgoing.files.map(\.path), in: $0) } ?? []
      let commit = try repository.commit(
        adding: outgoing.files, removing: obstacles + importer.invalidPaths.sorted(),
        cleaning: importer.uncleanFolders, onto: remote.tip)
      FaultPoint.reached(.commitWritten)
      try outgoing.recordOffered(in: local.store)
      switch try repository.push(
        commit, to: RemoteLayout.reference(of: branch), mayCreate: remote.tip == nil, at: url, limits: limits,
        cancellation: cancellation)
      {
      case .accepted:
        FaultPoint.reached(.pushAccepted)
        steps.accept(files: outgoing.files.count)
        try repository.setReference(RemoteLayout.cached, to: commit)
        FaultPoint.reached(.pushRecorded)
        report.recordsSent += outgoing.recordCount
        report.membershipSent += outgoing.membershipCount
        if importer.knowsRemote {
          report.repaired += outgoing.repairCount
        } else {
          // The remote is new: nothing was lost there.
          report.recordsSent += outgoing.repairedRecordCount
          report.membershipSent += outgoing.repairedMembershipCount
        }
        report.removed += importer.invalidPaths.count + importer.uncleanFolders.count
        try local.store.write { try outgoing.markPublished($0) }
        if outgoing.membershipCount > 0 {
          // What this machine's own entries permit counts from now on.
          importer.report = report
          try importer.adoptTransportKeys()
          try importer.revalidateRecords()
          report = importer.report
          device = importer.device
        }
        try end(at: commit, &report)
        return report
      case .rejected(let reason):
        logger.debug("the push lost the race", metadata: ["reason": "\(reason)"])
        lastRejection = (remote.tip, reason)
        // The segments of others wait in their lanes. A machine that has nothing of its own to send stays out of the crowd.
        let isDone =
          try outgoing.isOnlyFolding
          || attempt + 1 >= Self.racesBeforeLane && lanes.park(outgoing, besides: importer.lanes)
        guard isDone else { continue }
        report.recordsInLanes = outgoing.recordCount
        try end(at: remote.tip, &report)
        return report
      }
    }
    throw VaultError(
      .network, "other machines pushed to \(url) \(Self.attempts) times while this one tried",
      recoverySuggestion: "sync again in a while; nothing is lost")
  }

  /// Returns the commit at which the epoch of a branch may have ended; nil if it has not. One that this machine has seen and
  /// gone on after was not valid, and is looked at where the branch is now.
  private func ending(of tip: ObjectID, in repository: Repository) throws -> ObjectID? {
    guard let end = try repository.commit(thatAdded: RemoteLayout.closed, to: tip) else { return nil }
    let seen = try local.store.read { try $0.setting(.remoteTip) }.flatMap { ObjectID(bytes: $0) }
    // The host may have set the branch back, and the cache lack what was seen.
    guard let seen, seen != end, try repository.isAncestor(seen, of: tip), try repository.isAncestor(end, of: seen)
    else {
      return end
    }
    return tip
  }

  private func finish(
    _ url: RemoteURL, tip: ObjectID?, _ knownApps: Set<ApplicationID>, _ report: inout SyncReport
  ) throws {
    try local.store.write { writer in
      let text = try writer.setting(.remoteURL).flatMap { String(validating: $0, as: UTF8.self) }
      // Another remote may have been set meanwhile.
      if let text, (try? RemoteURL(text))?.description == url.description {
        if let tip { try writer.setSetting(.remoteTip, tip.bytes) }
        try writer.setSetting(.lastSync, Timestamp.now.stored)
      }
      report.epoch = try writer.epochBranch().epoch
      report.membershipEntries = Int(clamping: try writer.publishedLogLength())
      let membership = try local.membership(in: writer)
      report.unadmittedRecords = try UnadmittedRecords.load(from: writer, of: local, in: membership)
      report.items = try membership.groups.keys.reduce(0) { try $0 + writer.syncedItemCount(in: $1) }
      report.conflictCount = try membership.groups.keys.reduce(0) { try $0 + writer.conflictCount(in: $1) }
      report.setApps(
        without: offeredApps(in: membership).filter { !local.folder.credentialFile(of: $0).exists }, known: knownApps)
    }
  }

  /// Takes the requests for this machine's invitations, and answers them.
  private func exchangeInvitations(
    _ remote: RemoteState, _ url: RemoteURL, _ repository: Repository, _ report: inout SyncReport
  ) throws {
    try InvitationExchange(
      local: local, repository: repository, url: url, limits: limits, cancellation: cancellation, logger: logger
    ).run(remote.invitations, &report)
  }

  /// The apps that can have a credential on this machine.
  private func offeredApps(in membership: Membership) -> Set<ApplicationID> {
    membership.offeredApps(on: local.machine(in: membership)?.id)
  }

  /// Pushes the branch with the README. A host may refuse it: the vault does not need it.
  private func pushReadme(to url: RemoteURL, through repository: Repository) throws {
    _ = try repository.push(
      repository.commitReadme(), to: RemoteLayout.readmeBranch, at: url, limits: limits,
      cancellation: cancellation)
  }

  /// Waits before the next attempt: full jitter, a random time up to a bound that doubles with each attempt.
  private func backOff(_ attempt: Int) throws {
    let bound = min(5_000, 50 << attempt)
    logger.debug("waiting before the next attempt")
    Thread.sleep(forTimeInterval: Double(Int.random(in: 0...bound)) / 1_000)
    if cancellation.isCancelled {
      throw VaultError(.network, "the sync was cancelled", recoverySuggestion: "sync again")
    }
  }
}
