public import Coffer
internal import CofferVault

extension Vault {
  /// Fetches the changes of other machines and sends those of this one, as `coffer sync` does.
  ///
  ///     let result = try await vault.sync { progress in
  ///       print(progress.phase, progress.completed, progress.total)
  ///     }
  ///
  /// The whole vault is synced, not only the groups of this app, and a locked vault too. What arrived is also reported by
  /// `Vault.changes(in:)`, to every app that observes the vault.
  ///
  /// The keys of the app stay in this process: the program `coffer-sync` uses the network, and must be installed. It asks
  /// nobody for a password: the remote must be reachable with an ssh key of the user's agent, or with stored credentials.
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
        .invalidArgument, "a vault in memory is not synced",
        recoverySuggestion: "open a vault in a folder with Vault.open(_:at:)")
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
