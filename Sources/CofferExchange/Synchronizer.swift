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
  ///   - cancellation: Cancels the sync from another thread. Objects that were imported until then remain.
  ///   - repairs: What was repaired in the store before, a line each. They are the first problems of the report.
  ///   - logger: Receives the steps of the sync.
  ///   - progress: Is called at the beginning of each step, and while objects arrive and are imported; nil for no
  ///     reports.
  package init(
    _ local: LocalVault, access: RemoteAccess = RemoteAccess(), limits: TransferLimits? = nil,
    unadmittedByteLimit: Int = Limits.unadmittedByteCountPerDevice, cancellation: Cancellation = Cancellation(),
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
    self.logger = logger
  }

  /// Runs until the remote has accepted every object.
  ///
  /// - Throws: ``VaultError``: `network`, `integrity` for a remote that is another vault or none, `io` and others.
  ///   Problems that leave the rest usable are in the report instead.
  package func run() throws(VaultError) -> SyncReport {
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
      return try RemoteCache.withRepository(local.folder, programs: programs, logger: logger) {
        try exchange(with: url, through: $0)
      }
    }
    report.bytesReceived = steps.bytes.received
    report.bytesSent = steps.bytes.sent
    report.duration = .now - start
    return report
  }

  private func exchange(with url: RemoteURL, through repository: Repository) throws -> SyncReport {
    var report = SyncReport(remote: url.description)
    for repair in repairs { report.add(repair) }
    let (awaited, isShared) = try local.store.read { reader in
      (try reader.setting(.awaitedRepair), try reader.setting(.sharesRemote) != nil)
    }
    let knownApps = try offeredApps(in: local.membership())
    var lastRejection: (tip: ObjectID?, reason: String)?
    var device = try local.deviceFile()
    let lanes = LaneExchange(
      local: local, repository: repository, url: url, limits: limits, cancellation: cancellation, logger: logger)
    for attempt in 0..<Self.attempts {
      if attempt > 0 { try backOff(attempt) }
      report.retryCount = attempt
      logger.debug("fetching", metadata: ["attempt": "\(attempt + 1)"])
      steps.connect()
      let folded = try local.store.read { try FoldedLanes.load(from: $0) }.tips
      let remote = try RemoteState.fetch(
        from: url, into: repository, lanes: { !folded.contains($0) }, limits: limits, cancellation: cancellation,
        progress: steps.receive)
      defer { remote.forgetLanes(in: repository) }
      FaultPoint.reached(.remoteFetched)
      if let fault = remote.laneFault {
        report.add("\(url) has a lane that cannot be fetched: \(fault.message)", isUnsoundObject: true)
      }
      if !isShared { try remote.checkIsFree(at: url, isKnown: local.hasSynced()) }
      if let rejection = lastRejection, rejection.tip == remote.tip {
        throw VaultError(
          .network, "\(url) refuses what this machine pushes: \(rejection.reason)",
          recoverySuggestion:
            "check your rights and the host's rules for the branch vault-1; nothing is lost, sync again")
      }
      var importer = Importer(
        local: local, repository: repository, url: url, device: device, unadmittedByteLimit: unadmittedByteLimit,
        logger: logger, report: report, progress: steps.report)
      try importer.run(at: remote.tip, lanes: remote.lanes)
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
        commit, to: RemoteLayout.branch, at: url, limits: limits, cancellation: cancellation)
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
