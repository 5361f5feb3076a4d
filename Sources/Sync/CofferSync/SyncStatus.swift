public import Coffer
internal import CofferVault
public import CofferPlatform

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
  /// The number of problems that the last sync has found, with changes of the membership that were not sent or were
  /// discarded. `SyncResult.problems` has those of a sync of this app.
  public let problemCount: Int
  /// Whether a process syncs the vault by itself: `coffer sync --watch`, or the service that `coffer service install` has
  /// set up.
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
