internal import CofferFormat
package import CofferGit
internal import CofferStore
internal import CofferTrust
package import CofferVault

/// The remote that a vault syncs with.
package struct RemoteSetting {
  /// The result of setting a remote.
  package struct Outcome {
    /// The URL as it is stored.
    package let url: String
    /// Why the remote was not checked, or what is wrong with it; nil for a remote without fault.
    package let doubt: VaultError?
    /// Whether the remote has answered.
    package let isAnswered: Bool
  }

  private let local: LocalVault
  private let access: RemoteAccess
  private let cancellation: Cancellation

  /// The options of `access` are stored for later syncs. A cancellation of the check of the remote also cancels the
  /// change.
  package init(
    _ local: LocalVault, access: RemoteAccess = RemoteAccess(), cancellation: Cancellation = Cancellation()
  ) {
    self.local = local
    self.access = access
    self.cancellation = cancellation
  }

  /// Sets the remote, and forgets the state of the former one. The remote is checked first. If nothing answers there,
  /// this machine may be offline, and the first sync checks it. A relative path is stored as the absolute one that it
  /// means at the moment. Returns the URL as it is stored, and what is in doubt.
  ///
  /// With `isForced`, sets the remote whatever is found there, to share it with something else than the vault.
  /// Otherwise throws `integrity` for a repository of something else, and `network` for a remote that answers and
  /// cannot be used, for example because of its certificate, a wrong password or a missing repository. In any case
  /// throws `invalidArgument` for a URL that cannot be used, and `busy` if a sync is running or the membership
  /// changes. If it throws, nothing has changed.
  @discardableResult
  package func set(_ text: String, isForced: Bool = false) throws(VaultError) -> Outcome {
    let url = try translatingAll { () throws(GitError) in try RemoteURL(text) }
    guard try local.membership().head.sequence > 0 else {
      // The remote's log would be that of another vault.
      throw VaultError(
        .integrity, "the store at \(local.folder.storePath) has lost its membership log",
        recoverySuggestion: VaultFolder.rejoinSuggestion(from: url.description))
    }
    // Until the remote is stored: a sync between the check and the change would go to the former one.
    let locks = try RemoteLocks.acquire(in: local.folder, timeout: access.timeout ?? .seconds(5))
    defer { extendLifetime(locks) }
    let hasSynced = try local.hasSynced()
    let isKnown = try local.remote() == url.description ? hasSynced : false
    var doubt: VaultError?
    var isAnswered = true
    do throws(VaultError) {
      switch try list(url, isKnown: isKnown) {
      case .success(let state):
        // Only a sync finds out whether it can follow a branch of a later epoch.
        if !isForced, state.epochs.isEmpty { try state.checkIsFree(at: url, isKnown: isKnown) }
      case .failure(let silence):
        isAnswered = false
        doubt = VaultError(silence)
      }
    } catch {
      guard isForced, !cancellation.isCancelled else { throw Self.refusal(error) }
      doubt = error
    }
    try translatingErrors {
      try local.store.write { writer in
        try writer.setSetting(.sharesRemote, isForced ? [1] : nil)
        try access.options.write(to: writer)
        if try writer.setting(.remoteURL) == Array(url.description.utf8) { return }
        // Without a remote, entries count at once, and items were written with the keys that they deliver.
        if try writer.setting(.remoteURL) == nil {
          try writer.set(.keptLogLength, to: writer.logLength())
          try writer.setSetting(.allowingLogFork, nil)
        }
        try writer.setSetting(.remoteURL, Array(url.description.utf8))
        try writer.forgetRemoteState(afterSync: hasSynced)
      }
    }
    return Outcome(url: url.description, doubt: doubt, isAnswered: isAnswered)
  }

  /// Returns the error for a remote that is not set, with what to do if that is wrong.
  private static func refusal(_ error: VaultError) -> VaultError {
    guard error.code == .network else { return error }
    let advice = "to set the remote all the same, add --force"
    return VaultError(
      error.code, "the remote is not set: \(error.message)",
      recoverySuggestion: error.recoverySuggestion.map { "\($0); \(advice)" } ?? advice)
  }

  /// Lists the branches of a remote. A failure is that nothing answers there.
  private func list(_ url: RemoteURL, isKnown: Bool) throws(VaultError) -> Result<RemoteState, GitError> {
    var access = access
    if access.timeout == nil { access.limits.connectTimeout = .seconds(15) }
    return try translatingAll(suggestingCreationOf: isKnown ? nil : url) {
      try access.withConnection(to: url, cachedIn: local.folder, cancellation: cancellation) {
        (connection) -> Result<RemoteState, GitError> in
        do {
          return .success(try RemoteState.list(local.epochBranch(), at: connection))
        } catch let error as GitError where [.unreachable, .timedOut].contains(error.code) {
          return .failure(error)
        }
      }
    }
  }
}

/// Holds back syncs, and changes of membership: whether an entry of the log counts at once depends on the remote.
private struct RemoteLocks: ~Copyable {
  let membership: FileLock
  let sync: FileLock

  static func acquire(in folder: VaultFolder, timeout: Duration) throws(VaultError) -> RemoteLocks {
    let membership = try FileLock.acquire(
      path: folder.membershipLockPath, timeout: timeout, purpose: "change of membership")
    let sync = try FileLock.acquire(path: folder.syncLockPath, timeout: timeout, purpose: "sync")
    return RemoteLocks(membership: membership, sync: sync)
  }
}

extension LocalVault {
  /// Returns the branch of the epoch that this machine follows.
  func epochBranch() throws(VaultError) -> EpochBranch {
    try translatingErrors { try store.read { try $0.epochBranch() } }
  }
}

extension LocalVault {
  /// Forgets the remote and its options: the vault stays on this machine. The repository keeps what was sent to it,
  /// and a later remote gets everything. Returns its URL. Throws `itemNotFound` if the vault has no remote, and
  /// `busy` while a sync runs or the membership changes.
  @discardableResult
  package func removeRemote() throws(VaultError) -> String {
    let locks = try RemoteLocks.acquire(in: folder, timeout: .seconds(5))
    defer { extendLifetime(locks) }
    let url = try requiredRemote(or: .itemNotFound)
    let hasSynced = try hasSynced()
    try translatingErrors {
      try store.write { writer in
        // Nobody can answer the invitation of an approval that was interrupted.
        if try !writer.draftedApprovals().isEmpty { try writer.withdrawUnpublishedLog() }
        try writer.setSetting(.sharesRemote, nil)
        try RemoteOptions().write(to: writer)
        try writer.setSetting(.remoteURL, nil)
        try writer.forgetRemoteState(afterSync: hasSynced)
      }
    }
    SyncHealth.update(in: folder) { $0.remote = nil }
    return url
  }
}

extension StoreWriter {
  /// Forgets what is known of the vault's remote, because it is another one from now on, or none. `hasSynced` is
  /// whether this machine has synced with the former remote.
  func forgetRemoteState(afterSync hasSynced: Bool) throws {
    if hasSynced, try setting(.awaitedRepair) == nil {
      // Only the next sync shows which of this machine's segments the other remote has.
      try setSetting(.awaitedRepair, Setting.outboxUnknown)
    }
    let state: [Setting] = [
      .remoteTip, .lastSync, .missingSegments, .differentSegments, .foldedLanes, .downloadedBranch, .refusedEpochSize,
      .measuredEpochSize,
    ]
    for setting in state { try setSetting(setting, nil) }
    var book = try BranchBook.load(from: self)
    book.remove { $0.kind == .examined || $0.kind == .sighted }
    try book.save(to: self)
  }
}
