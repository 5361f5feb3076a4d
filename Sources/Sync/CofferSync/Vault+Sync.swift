public import Coffer
public import CofferPlatform
internal import CofferVault

extension Vault {
  /// Fetches the changes of other machines and sends those of this one, as `coffer sync` does.
  ///
  ///     let result = try await vault.sync { progress in
  ///       print(progress.phase, progress.completed, progress.total)
  ///     }
  ///
  /// The whole vault is synced, not only the groups of this app, and a locked vault too. What arrived is also reported
  /// by `Vault.changes(in:)`, to every app that observes the vault.
  ///
  /// The keys of the app stay in this process: the program `coffer-sync` uses the network, and must be installed. It
  /// asks nobody for a password: the remote must be reachable with an ssh key of the user's agent, or with stored
  /// credentials.
  ///
  /// If the task is cancelled, the program ends within a moment, or is killed after five seconds. What was imported
  /// until then stays, and the next sync continues.
  ///
  /// - Parameter progress: Is called at the beginning of each phase and at most ten times a second, on another thread.
  /// - Returns: What was transferred, and what is wrong with the remote.
  /// - Throws: `VaultError`: `network` if the remote cannot be reached or refuses; `integrity` if it is no vault or
  ///   another one; `invalidArgument` for a vault without a remote, or in memory; `cancelled`; `io` if the program
  ///   `coffer-sync` is missing; and the other errors of `coffer sync`.
  @discardableResult
  public func sync(
    progress: (@Sendable (SyncProgress) -> Void)? = nil
  ) async throws(VaultError) -> SyncResult {
    guard !isInMemory else {
      throw VaultError(
        .invalidArgument, "this process has no vault to sync: it is in memory, or outside of this app's sandbox",
        recoverySuggestion: "open a vault in a folder with Vault.open(_:at:), or run outside: coffer sync")
    }
    guard !Task.isCancelled else { throw .cancelledSync }
    let process = try SyncProcess.prepareSync(of: folder, showsProgress: progress != nil)
    let body: @Sendable () throws(VaultError) -> SyncResult = { () throws(VaultError) in
      SyncResult(try process.sync { progress?(SyncProgress($0)) })
    }
    do {
      return try await withTaskCancellationHandler {
        try await onBlockingThread(body)
      } onCancel: {
        process.cancel()
      }
    } catch {
      throw VaultError(translating: error)
    }
  }
}

/// How the syncs of a vault have gone on this machine, as `coffer status` shows it.
///
/// Other programs of the same user can change all of it: show it to people, and decide nothing by it.
public struct SyncStatus: Equatable, Sendable {
  /// The remote's URL or path, without a password.
  public let remote: String
  /// When the last sync ended, by this machine's clock; nil before the first one.
  public let lastAttempt: Date?
  /// When the last sync ended that has compared everything with the remote; nil before the first one.
  public let lastSuccess: Date?
  /// Why the last sync failed; nil if it did not.
  public let lastError: VaultError?
  /// The number of syncs that have failed since the last one that did not.
  public let failureCount: Int
  /// The number of problems that the last sync has named, with changes of the membership that were not sent or were
  /// discarded. `SyncResult.problems` has those of a sync of this app.
  public let problemCount: Int
  /// Whether a process syncs the vault by itself: `coffer sync --watch`, or the service that `coffer service install`
  /// has set up.
  public let isWatched: Bool
  /// When that process syncs next if nothing happens before; nil if there is none.
  public let nextSync: Date?

  init(_ health: SyncHealth, remote: String, isWatched: Bool) {
    self.remote = remote
    self.isWatched = isWatched
    lastAttempt = health.lastAttempt
    lastSuccess = health.lastSuccess
    lastError = health.lastError?.error
    failureCount = health.failureCount
    problemCount = health.problemCount
    nextSync = isWatched ? health.nextSync : nil
  }
}

extension Vault {
  /// Reads how the syncs of the vault have gone on this machine. It uses no network.
  ///
  /// - Returns: The status; nil for a vault without a remote, or in memory.
  /// - Throws: `VaultError`: `integrity` or `io` if the store cannot be read.
  public func syncStatus() async throws(VaultError) -> SyncStatus? {
    guard !isInMemory else { return nil }
    return try await onBlockingThread { () throws(VaultError) in
      guard let remote = try self.local.remote() else { return nil }
      return SyncStatus(
        SyncHealth.read(from: self.folder), remote: remote, isWatched: WatchLock.holder(in: self.folder) != nil)
    }
  }
}
