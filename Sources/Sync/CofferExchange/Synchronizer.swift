internal import CofferCrypto
internal import CofferFormat
package import CofferGit
internal import CofferPlatform
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
package import CofferVault
package import Logging

/// One sync: fetches, imports and pushes until the remote has every object that this machine has.
///
/// It blocks: run it on a separate thread. It needs the device's keys and no group key.
package struct Synchronizer {
  private let local: LocalVault
  private let access: RemoteAccess
  private let unadmittedByteLimit: Int
  private let cancellation: Cancellation
  private let repairs: [String]
  private let epochByteCount: Int
  private let steps: SyncSteps
  private let logger: Logger
  private let reportWait: (@Sendable (String) -> Void)?

  /// Creates a sync of a vault, by `access` over what the vault has stored for the remote.
  ///
  /// `unadmittedByteLimit` is the maximum size in bytes of pending and refused records, from each machine, that are in
  /// no segment of the store. From `epochByteCount` bytes of an epoch's segments on, an admin's machine begins another
  /// epoch, if they are also larger than four times the current versions in the snapshot and once the superseded ones.
  ///
  /// Objects that were imported until a cancellation remain. `repairs` tells what was repaired in the store before, a
  /// line each: the first problems of the report. `progress` is called at the beginning of each step, and while objects
  /// arrive and are imported. `reportWait` is called if another sync is running for more than a second, with the words
  /// for its process.
  package init(
    _ local: LocalVault, access: RemoteAccess = RemoteAccess(),
    unadmittedByteLimit: Int = Limits.unadmittedByteCountPerDevice, epochByteCount: Int = EpochLimit.standardByteCount,
    cancellation: Cancellation = Cancellation(),
    repairs: [String] = [], logger: Logger,
    progress: (@Sendable (SyncStep) -> Void)? = nil, reportWait: (@Sendable (String) -> Void)? = nil
  ) {
    self.local = local
    self.reportWait = reportWait
    steps = SyncSteps(progress)
    var access = access
    access.limits.traffic = steps.makeTraffic()
    self.access = access
    self.unadmittedByteLimit = unadmittedByteLimit
    self.cancellation = cancellation
    self.repairs = repairs
    self.epochByteCount = epochByteCount
    self.logger = logger
  }

  /// Runs until the remote has accepted every object. If the epoch has become large, begins another one. Throws
  /// `integrity` for a remote that is another vault or none, and `busy` if another sync runs for longer than the
  /// timeout. Problems that leave the rest usable are in the report instead.
  package func run() throws(VaultError) -> SyncReport {
    try withRemote { session in
      try exchange(session)
      do {
        guard try isEpochDue(session.report) else { return }
        if try beginEpoch(session, keepingBranch: false) == .refused { try rememberRefusal() }
      } catch {
        // Everything is synced. The next sync tries it again.
        guard !cancellation.isCancelled else { throw error }
        logger.warning("beginning an epoch failed", metadata: ["error": "\(VaultError(translating: error))"])
      }
    }
  }

  /// Syncs, begins another epoch, and syncs again. Returns the report of both syncs. With `keepsBranch`, the branch of
  /// the epoch before is kept. Throws as ``run()``, `integrity` if the sync finds a problem, `notEntitled` if this
  /// machine must not begin an epoch, and `network` if the host refuses it, or other machines write all the time.
  package func compact(keepingBranch keepsBranch: Bool) throws(VaultError) -> SyncReport {
    try withRemote { session in
      try exchange(session)
      let named = session.report.problems
      if !named.isEmpty {
        // What was removed from the remote, or pushed again, is no reason to go on with the epoch.
        session.report.forgetProblems(since: SyncReport(remote: session.report.remote))
        try exchange(session)
      }
      for _ in 0..<Self.foldingAttempts where try !local.store.read({ try $0.unpublishedSegments().isEmpty }) {
        // What waits in lanes, of this machine or of another one. A sync that loses the race leaves it to the winner.
        session.report.recordsInLanes = 0
        try exchange(session)
      }
      let report = session.report
      guard report.problems.isEmpty, report.membershipObstacle == nil, report.recordsInLanes == 0 else {
        throw VaultError(
          .integrity,
          "the sync found a problem, so the epoch goes on: \(report.problems.first?.message ?? "not everything could be pushed")",
          recoverySuggestion: "sync again: coffer sync")
      }
      if let obstacle = try EpochRoll.obstacle(in: local) {
        throw VaultError(
          .notEntitled, "this machine cannot begin an epoch: \(obstacle)",
          recoverySuggestion: "run coffer compact on an admin's machine after coffer sync")
      }
      let url = session.connection.url
      switch try beginEpoch(session, keepingBranch: keepsBranch) {
      case .begun: for problem in named { session.report.add(problem.kind, problem.message) }
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

  private func withRemote(_ body: (SyncSession) throws -> Void) throws(VaultError) -> SyncReport {
    let start = ContinuousClock.now
    // A vault without a remote waits for nobody.
    _ = try local.requiredRemote()
    // No later sync finds them again, whatever becomes of this one.
    try local.keep(repairs.map { SyncProblem(.store, $0) })
    let lock = try FileLock.acquire(
      path: local.folder.syncLockPath, timeout: access.timeout ?? Self.standardWait, purpose: "sync",
      reportWait: reportWait)
    defer { _ = lock }
    let startTime = Timestamp.now
    // While this sync waited, the remote may have been removed or replaced.
    let text = try local.requiredRemote()
    let url = try translatingAll { () throws(GitError) in try RemoteURL(text) }
    // Before anything is sent: the remote may never answer.
    steps.connect()
    var report = try translatingAll(suggestingCreationOf: local.hasSynced() ? nil : url) {
      try access.withConnection(
        to: url, cachedIn: local.folder, local.remoteOptions(), cancellation: cancellation, logger: logger
      ) { connection in
        let session = SyncSession(
          local, connection, device: try local.deviceFile(), unadmittedByteLimit: unadmittedByteLimit, steps: steps,
          logger: logger)
        for repair in repairs { session.report.add(.store, repair) }
        do {
          try body(session)
        } catch {
          // What was imported before it failed is not examined again.
          try? session.keepProblems()
          throw error
        }
        // A sync that has found everything does not fail because the disk is full now.
        try? session.keepProblems()
        session.report.add(try local.unreadProblems(), since: startTime)
        if let references = session.syncedReferences, access.link == nil {
          UnchangedSync.leaveNote(session.report, references, at: url, in: local)
        }
        return session.report
      }
    }
    report.bytesReceived = steps.bytes.received
    report.bytesSent = steps.bytes.sent
    report.duration = .now - start
    return report
  }

  private static let foldingAttempts = 3

  /// How long a sync waits for another one.
  private static let standardWait = Duration.seconds(120)

  // MARK: Epochs

  /// Whether this machine should begin another epoch.
  private func isEpochDue(_ report: SyncReport) throws -> Bool {
    guard report.problems.isEmpty, report.membershipObstacle == nil, report.membershipDiscarded == 0,
      report.recordsInLanes == 0, !report.isUnchanged
    else { return false }
    return try EpochRoll.obstacle(in: local) == nil && isEpochLarge()
  }

  /// Machines differ in the size, so that not all try it at once.
  private func isEpochLarge() throws -> Bool {
    let (size, measured, refused) = try local.store.read { reader in
      (try reader.publishedSegmentByteCount(), try reader.size(.measuredEpochSize), try reader.size(.refusedEpochSize))
    }
    // The size of a snapshot takes a look at every item, which few syncs need.
    guard size > epochByteCount, measured == 0 || size >= measured + Self.measuringByteCount else { return false }
    let limit = EpochLimit(try local.store.read { try $0.snapshotByteCounts() }, atLeast: epochByteCount)
    let own = DeviceID(vault: try local.membership().vault, keys: try local.deviceFile().keys.publicKeys)
    let isLarge = size > limit.byteCount(forShare: own.raw.bytes[0]) && size / 5 > refused / 4
    if !isLarge, size > Self.measuringByteCount { try remember(size, as: .measuredEpochSize) }
    return isLarge
  }

  /// By how many bytes an epoch of at least this size grows until its limit is computed again.
  private static let measuringByteCount = 1 << 20

  /// The host would refuse it again, and each attempt sends much.
  private func rememberRefusal() throws {
    try remember(try local.store.read { try $0.publishedSegmentByteCount() }, as: .refusedEpochSize)
  }

  private func remember(_ byteCount: Int, as setting: Setting) throws {
    try local.store.write { try $0.setSetting(setting, Array(String(byteCount).utf8)) }
  }

  private func beginEpoch(_ session: SyncSession, keepingBranch keepsBranch: Bool) throws -> EpochRoll.Outcome {
    guard let tip = try local.store.read({ try $0.setting(.remoteTip) }).flatMap({ ObjectID(bytes: $0) }) else {
      return .lost
    }
    guard try local.hasSoundLog() else {
      // The branch of the next epoch would pass on what somebody has altered, and the present one may be deleted.
      throw VaultError(
        .integrity, "entries of the membership log in the store were altered",
        recoverySuggestion: "see which with: coffer check; repair them with: coffer check --repair && coffer sync")
    }
    steps.send()
    let outcome = try EpochRoll(session: session, keepsBranch: keepsBranch).run(onto: tip)
    logger.debug("beginning an epoch", metadata: ["outcome": "\(outcome)"])
    if case .begun = outcome { try exchange(session) }
    return outcome
  }

  private func exchange(_ session: SyncSession) throws {
    let exchange = BranchExchange(session, isRepaired: !repairs.isEmpty)
    try exchange.run()
  }
}

extension StoreReader {
  /// A size in bytes; 0 if there is none.
  fileprivate func size(_ setting: Setting) throws(StoreError) -> Int {
    try self.setting(setting).flatMap { Int(String(decoding: $0, as: UTF8.self)) }.map { min(max($0, 0), Int.max / 2) }
      ?? 0
  }
}
