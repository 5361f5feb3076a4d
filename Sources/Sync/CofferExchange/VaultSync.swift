internal import CofferFormat
package import CofferGit
internal import CofferPlatform
internal import CofferStore
package import CofferVault
package import Logging

#if !Programs
  #error("the programs use packages that apps do not need: build them with --traits Programs")
#endif

/// A whole sync of a vault: repairs its store if another program has changed it, syncs, and records how it went.
package struct VaultSync {
  private let folder: VaultFolder
  private let access: RemoteAccess
  private let cancellation: Cancellation
  private let logger: Logger
  private let reportWait: (@Sendable (String) -> Void)?

  /// `reportWait` is called if another sync is running for more than a second, with the words for its process.
  package init(
    _ folder: VaultFolder, access: RemoteAccess = RemoteAccess(), cancellation: Cancellation, logger: Logger,
    reportWait: (@Sendable (String) -> Void)? = nil
  ) {
    self.reportWait = reportWait
    self.folder = folder
    self.access = access
    self.cancellation = cancellation
    self.logger = logger
  }

  /// Syncs. It blocks: run it on a separate thread. `progress` receives each step, and how far it is. Throws as
  /// ``Synchronizer/run()``.
  package func run(progress: (@Sendable (SyncStep) -> Void)? = nil) throws(VaultError) -> SyncReport {
    var checked = SyncHealth.read(from: folder).checked
    if let report = UnchangedSync.report(in: folder, checkingFrom: &checked) {
      logger.debug("nothing was written here or at the remote since the last sync")
      recordSuccess(report, checked)
      return report
    }
    return try record(progress) { (synchronizer) throws(VaultError) in try synchronizer.run() }
  }

  /// Syncs, begins another epoch, and syncs again. It blocks, as ``run(progress:)``. With `keepsBranch`, the branch of
  /// the epoch before is kept. Throws as ``Synchronizer/compact(keepingBranch:)``.
  package func compact(
    keepingBranch keepsBranch: Bool, progress: (@Sendable (SyncStep) -> Void)? = nil
  ) throws(VaultError) -> SyncReport {
    try record(progress) { (synchronizer) throws(VaultError) in
      try synchronizer.compact(keepingBranch: keepsBranch)
    }
  }

  /// Runs a sync, and records how it went.
  private func record(
    _ progress: (@Sendable (SyncStep) -> Void)?, _ body: (Synchronizer) throws(VaultError) -> SyncReport
  ) throws(VaultError) -> SyncReport {
    // A whole check at each sync would read the whole store.
    var checked = SyncHealth.read(from: folder).checked
    do throws(VaultError) {
      let (local, repairs) = try StoreRepair.openRepairing(folder, checkingFrom: &checked, logger: logger)
      let report = try body(
        Synchronizer(
          local, access: access, cancellation: cancellation, repairs: repairs, logger: logger, progress: progress,
          reportWait: reportWait))
      recordSuccess(report, checked)
      return report
    } catch {
      // Whoever cancels knows why. Without a vault, there is no place for the file.
      if folder.exists {
        SyncHealth.update(in: folder) { health in
          health.checked = checked
          // The other sync records how it goes.
          if cancellation.isCancelled || error.code == .busy { return }
          health.lastAttempt = .now
          health.lastError = VaultError.Report(Self.shortened(error))
          health.failureCount += 1
        }
      }
      throw error
    }
  }

  /// `checked` is where the comparison of the store's contents goes on.
  private func recordSuccess(_ report: SyncReport, _ checked: ContentPosition) {
    SyncHealth.update(in: folder) { health in
      health.checked = checked
      health.lastAttempt = .now
      health.lastSuccess = health.lastAttempt
      health.remote = report.remote
      health.lastError = nil
      health.failureCount = 0
      health.problemCount =
        report.problems.count + (report.membershipObstacle == nil ? 0 : 1) + (report.membershipDiscarded == 0 ? 0 : 1)
    }
  }

  /// A host can make an error as long as it likes, and the file of the health has a limit.
  private static func shortened(_ error: VaultError) -> VaultError {
    VaultError(
      error.code, String(error.message.prefix(maximumTextLength)),
      recoverySuggestion: error.recoverySuggestion.map { String($0.prefix(maximumTextLength)) })
  }

  private static let maximumTextLength = 2_000
}

/// Repairs of the store before and during a sync.
enum StoreRepair {
  /// Opens a vault for a sync. If another program has changed its store, the store is checked completely and repaired
  /// first. A change of derived columns is noticed at once, by the summary; one of the contents of a record, a segment
  /// or an envelope within 64 syncs or, in a store with more than 32,000 versions, within one sync for each 512.
  ///
  /// `position` is where the comparison of contents goes on, and then where the next sync goes on. Also returns what
  /// was repaired, a line each. Throws `integrity` if the store is damaged so far that it has to be built anew.
  static func openRepairing(
    _ folder: VaultFolder, checkingFrom position: inout ContentPosition, logger: Logger
  ) throws(VaultError) -> (vault: LocalVault, repairs: [String]) {
    var comparison = SummaryComparison.different([])
    do throws(VaultError) {
      let local = try LocalVault.open(folder)
      comparison = try local.compareSummary()
      if comparison == .equal, try local.isSliceSound(&position) { return (local, []) }
    } catch {
      guard error.code == .integrity else { throw error }
    }
    logger.notice("the store is checked", metadata: ["reason": "\(comparison)"])
    // Which segments are missing is not known, if all of a stream are.
    let report = try VaultCheck.open(folder).repair(awaitsSegments: comparison.concernsSegments, leavingUnread: true)
    var repairs = report.summary()
    if repairs.isEmpty, case .different(let tables) = comparison {
      repairs.append(
        "another program changed the store at \(report.path) (\(tables.joined(separator: ", "))); nothing that is signed differs"
      )
    }
    return (try LocalVault.open(folder), repairs)
  }

  /// Checks and repairs the store after a sync has imported what it lacked. Returns what was repaired, a line each.
  /// `isRejoining` is true for a store that was built anew, whose outbox is determined only now.
  static func repairAfterImport(_ folder: VaultFolder, isRejoining: Bool) throws(VaultError) -> [String] {
    try VaultCheck.open(folder).repair(isSyncing: true, leavingUnread: !isRejoining)
      .summary(omitting: isRejoining ? ["outbox"] : [])
  }
}

extension SummaryComparison {
  /// Whether segments may be missing.
  fileprivate var concernsSegments: Bool {
    switch self {
    case .equal: false
    case .absent: true
    case .different(let tables):
      tables.isEmpty || !Set(["segment", "stream", "object"]).isDisjoint(with: tables)
    }
  }
}
