package import Coffer
internal import CofferFormat
package import CofferGit
internal import CofferStore
internal import Foundation
package import Logging

/// One sync: fetch, fold, push, until the remote holds what this machine holds.
///
/// Blocks; run it on a thread of its own. It needs the device's keys and no group key.
package struct Synchronizer {
  private let local: LocalVault
  private let limits: TransferLimits
  private let pendingByteLimit: Int
  private let cancellation: Cancellation
  private let progress: ((TransferProgress) -> Void)?
  private let logger: Logger

  private static let attempts = 12

  /// - Parameters:
  ///   - limits: What the remote may cost.
  ///   - pendingByteLimit: How many bytes of records may wait for an entry of the log.
  ///   - cancellation: Ends the sync from another thread; what was taken in until then stays.
  ///   - progress: Called while objects arrive.
  package init(
    _ local: LocalVault, limits: TransferLimits = TransferLimits(),
    pendingByteLimit: Int = Limits.pendingByteCount, cancellation: Cancellation = Cancellation(), logger: Logger,
    progress: ((TransferProgress) -> Void)? = nil
  ) {
    self.local = local
    self.limits = limits
    self.pendingByteLimit = pendingByteLimit
    self.cancellation = cancellation
    self.progress = progress
    self.logger = logger
  }

  /// Runs until the remote has taken everything.
  ///
  /// - Throws: ``VaultError``: `network`, `integrity` for a remote that is another vault or none, `io` and others. Problems
  ///   that leave the rest usable are in the report instead.
  package func run() throws(VaultError) -> SyncReport {
    guard let text = try local.textSetting(.remoteURL) else {
      throw VaultError(.invalidArgument, "this vault has no remote", mend: "set one with: coffer remote set URL")
    }
    let lock = try FileLock(path: local.folder.syncLockPath, patience: .seconds(120), purpose: "sync")
    defer { _ = lock }
    return try translatingAll {
      let url = try RemoteURL(text)
      var repository = try Cache.open(local.folder)
      do {
        return try exchange(with: url, through: repository)
      } catch let error as GitError where error.code == .corrupt {
        logger.notice("the cache is damaged and is fetched anew")
        repository = try Cache.reset(local.folder)
        return try exchange(with: url, through: repository)
      }
    }
  }

  private func exchange(with url: RemoteURL, through repository: Repository) throws -> SyncReport {
    var report = SyncReport(remote: url.description)
    var lastRejection: (tip: ObjectID?, reason: String)?
    // The tip that was compared wholly because it held something else where this machine pushes.
    var compared: ObjectID?
    var device = try local.deviceFile()
    for attempt in 0..<Self.attempts {
      if attempt > 0 { try backOff(attempt) }
      logger.debug("fetching", metadata: ["attempt": "\(attempt + 1)"])
      let remote = try RemoteState(
        fetching: url, into: repository, limits: limits, cancellation: cancellation, progress: progress)
      if let rejection = lastRejection, rejection.tip == remote.tip {
        throw VaultError(
          .network, "\(url) refuses what this machine pushes: \(rejection.reason)",
          mend: "check your rights and the host's rules for the branch vault-1; nothing is lost, sync again")
      }
      var intake = Intake(
        local: local, repository: repository, url: url, device: device, pendingByteLimit: pendingByteLimit,
        logger: logger, report: report)
      let missing = try intake.take(remote.tip)
      report = intake.report
      // A key that this attempt brought is in no older copy: the next attempt would write the file without it.
      device = intake.device

      let outgoing = try Outgoing(local: local, device: device, missing: missing)
      guard !outgoing.files.isEmpty else {
        try finish(outgoing, tip: intake.isComplete ? remote.tip : nil, &report)
        return report
      }
      if remote.tip == nil, !remote.hasReadme { try pushReadme(to: url, through: repository) }
      if let tip = remote.tip, let path = try outgoing.contradiction(at: tip, in: repository) {
        guard tip != compared else {
          throw VaultError(
            .integrity, "\(url) holds a file \(path) that does not hold, and this machine pushes nothing over it",
            mend: "take the file out of the branch vault-1 with git, and try again")
        }
        compared = tip
        // What this machine remembers of the remote is not what it holds: compare everything before anything is replaced.
        logger.notice("the remote holds other objects in the places of new ones; comparing all of it")
        try local.store.write { try $0.setSetting(.remoteTip, nil) }
        continue
      }
      logger.debug("pushing", metadata: ["files": "\(outgoing.files.count)"])
      // A file in place of a folder, or a folder in place of a file, would else keep every machine from pushing for ever.
      let obstacles = try remote.tip.map { try repository.obstacles(to: outgoing.files.map(\.path), in: $0) } ?? []
      let commit = try repository.commit(adding: outgoing.files, removing: obstacles, onto: remote.tip)
      switch try repository.push(
        commit, to: RemoteLayout.branch, at: url, limits: limits, cancellation: cancellation)
      {
      case .accepted:
        try repository.setReference(RemoteLayout.cached, to: commit)
        if intake.knowsRemote { report.repaired += outgoing.repairCount }
        report.recordsSent += outgoing.recordCount
        report.membershipSent += outgoing.membershipCount
        try finish(outgoing, tip: intake.isComplete ? commit : nil, &report)
        return report
      case .rejected(let reason):
        logger.debug("the push lost the race", metadata: ["reason": "\(reason)"])
        lastRejection = (remote.tip, reason)
      }
    }
    throw VaultError(
      .network, "other machines pushed to \(url) \(Self.attempts) times while this one tried",
      mend: "sync again in a while; nothing is lost")
  }

  private func finish(_ outgoing: Outgoing, tip: ObjectID?, _ report: inout SyncReport) throws {
    report.recordsPending = try local.store.write { writer in
      try outgoing.markPublished(writer)
      // A tip that was not wholly understood is not remembered: the next sync compares with the older one again.
      if let tip { try writer.setSetting(.remoteTip, tip.bytes) }
      try writer.setSetting(.lastSync, Timestamp.now.stored)
      return try writer.pendingCount()
    }
  }

  /// The branch for people. A host that refuses it loses nothing.
  private func pushReadme(to url: RemoteURL, through repository: Repository) throws {
    let commit = try repository.commit(adding: [("README.md", RemoteLayout.readme)], onto: nil)
    _ = try repository.push(commit, to: RemoteLayout.readmeBranch, at: url, limits: limits, cancellation: cancellation)
  }

  /// Full jitter: anything between nothing and a bound that doubles, so that machines that collided spread out.
  private func backOff(_ attempt: Int) throws {
    let bound = min(5_000, 50 << attempt)
    logger.debug("waiting before the next attempt")
    Thread.sleep(forTimeInterval: Double(Int.random(in: 0...bound)) / 1_000)
    if cancellation.isCancelled { throw VaultError(.network, "the sync was cancelled", mend: "sync again") }
  }
}
