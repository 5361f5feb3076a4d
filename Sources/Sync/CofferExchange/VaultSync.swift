#if !Programs
  #error("the programs use packages that apps do not need: build them with --traits Programs")
#endif
package import CofferGit
internal import CofferPlatform
package import CofferVault
package import Logging

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
    try record(progress) { (synchronizer) throws(VaultError) in try synchronizer.run() }
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

  /// A host can make an error as long as it likes, and the file of the health has a limit.
  private static func shortened(_ error: VaultError) -> VaultError {
    VaultError(
      error.code, String(error.message.prefix(maximumTextLength)),
      recoverySuggestion: error.recoverySuggestion.map { String($0.prefix(maximumTextLength)) })
  }

  private static let maximumTextLength = 2_000
}
