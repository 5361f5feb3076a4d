internal import CofferStore
package import CofferVault

/// Takes the remote from a vault, which then stays on this machine.
package struct RemoteRemoval {
  private let local: LocalVault

  package init(_ local: LocalVault) { self.local = local }

  /// Forgets the remote and its options. The repository keeps what was sent to it, and a later remote gets everything.
  /// Returns its URL. Throws `itemNotFound` if the vault has no remote, and `io` while a sync runs.
  @discardableResult
  package func run() throws(VaultError) -> String {
    let lock = try FileLock.acquire(path: local.folder.syncLockPath, timeout: .seconds(5), purpose: "sync")
    defer { extendLifetime(lock) }
    let url = try local.requiredRemote(or: .itemNotFound)
    let hasSynced = try local.hasSynced()
    try translatingErrors {
      try local.store.write { writer in
        try writer.setSetting(.sharesRemote, nil)
        try RemoteOptions().write(to: writer)
        try writer.setSetting(.remoteURL, nil)
        try writer.forgetRemoteState(afterSync: hasSynced)
      }
    }
    SyncHealth.update(in: local.folder) { $0.remote = nil }
    return url
  }
}
