internal import CofferFormat
package import CofferGit
internal import CofferStore
package import CofferVault

/// The remote that a vault syncs with.
package struct RemoteSetting {
  /// The result of setting a remote.
  package struct Outcome {
    /// The URL as it is stored.
    package let url: String
    /// Why the remote was not checked; nil if it was.
    package let doubt: VaultError?
  }

  private let local: LocalVault
  private let access: RemoteAccess
  private let cancellation: Cancellation

  /// - Parameters:
  ///   - local: The vault.
  ///   - access: How to reach the remote. Its options are stored for later syncs.
  ///   - cancellation: Cancels the check of the remote from another thread, and with it the change.
  package init(
    _ local: LocalVault, access: RemoteAccess = RemoteAccess(), cancellation: Cancellation = Cancellation()
  ) {
    self.local = local
    self.access = access
    self.cancellation = cancellation
  }

  /// Sets the remote, and forgets the state of the former one. A remote that can be reached is checked first.
  ///
  /// - Parameters:
  ///   - text: The URL or path. A relative path is stored as the absolute one that it means at the moment.
  ///   - isShared: Whether the remote may also contain something else than the vault.
  /// - Returns: The URL as it is stored, and why it was not checked.
  /// - Throws: ``VaultError``: `invalidArgument` for a URL that cannot be used; `integrity` for a repository of something
  ///   else, unless `isShared`. Nothing has changed then.
  @discardableResult
  package func set(_ text: String, isShared: Bool = false) throws(VaultError) -> Outcome {
    let url = try translatingAll { () throws(GitError) in try RemoteURL(text) }
    let hasSynced = try local.hasSynced()
    let isKnown = try local.remote() == url.description ? hasSynced : false
    var doubt: VaultError?
    var state: RemoteState?
    do throws(VaultError) {
      state = try list(url, isKnown: isKnown)
    } catch {
      guard !cancellation.isCancelled else { throw error }
      doubt = error
    }
    if !isShared { try state?.checkIsFree(at: url, isKnown: isKnown) }
    try translatingErrors {
      try local.store.write { writer in
        try writer.setSetting(.sharesRemote, isShared ? [1] : nil)
        try access.options.write(to: writer)
        if try writer.setting(.remoteURL) == Array(url.description.utf8) { return }
        try writer.setSetting(.remoteURL, Array(url.description.utf8))
        if hasSynced, try writer.setting(.awaitedRepair) == nil {
          // Only the next sync shows which of this machine's segments the other remote has.
          try writer.setSetting(.awaitedRepair, Setting.outboxUnknown)
        }
        try writer.setSetting(.remoteTip, nil)
        try writer.setSetting(.lastSync, nil)
        try writer.setSetting(.missingSegments, nil)
        try writer.setSetting(.differentSegments, nil)
        try writer.setSetting(.foldedLanes, nil)
        try writer.setSetting(.refusedBranches, nil)
        try writer.setSetting(.sightedBranches, nil)
        try writer.setSetting(.downloadedBranch, nil)
        try writer.setSetting(.refusedEpochSize, nil)
        try writer.setSetting(.measuredEpochSize, nil)
      }
    }
    return Outcome(url: url.description, doubt: doubt)
  }

  /// Lists the branches of a remote, unless a sync is running.
  private func list(_ url: RemoteURL, isKnown: Bool) throws(VaultError) -> RemoteState {
    let lock = try FileLock.acquire(path: local.folder.syncLockPath, timeout: .seconds(5), purpose: "sync")
    defer { _ = lock }
    var limits = access.limits
    if access.timeout == nil { limits.connectTimeout = .seconds(15) }
    return try translatingAll(suggestingCreationOf: isKnown ? nil : url) {
      try RemoteCache.withRepository(local.folder, programs: access.programs()) {
        try RemoteState.list(local.epochBranch(), at: url, through: $0, limits: limits, cancellation: cancellation)
      }
    }
  }
}

extension LocalVault {
  /// Returns the branch of the epoch that this machine follows.
  func epochBranch() throws(VaultError) -> EpochBranch {
    try translatingErrors { try store.read { try $0.epochBranch() } }
  }

  /// Returns whether this machine has synced with its remote before.
  func hasSynced() throws(VaultError) -> Bool {
    try translatingErrors { try store.read { try $0.setting(.remoteTip) != nil } }
  }
}
