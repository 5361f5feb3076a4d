package import CofferCrypto
package import CofferFormat
internal import CofferKeys
package import CofferStore
package import CofferTrust
internal import CofferVault

/// The keys with which this machine's admin changes the membership.
package struct AdminSession {
  let local: LocalVault
  package let keys: PartyKeys
  package let id: AuthorID
  package let device: DeviceID
  private let source: PassphraseSource
  private let hasPassphrase: Bool

  /// Opens this machine's admin and device keys. Everything that would prevent a change is checked before the
  /// passphrase is asked for. With `allowingLogFork`, the change is made although another machine has seen entries of
  /// the log that this one does not have; the claims of `machines`, which the change removes, never count. Throws
  /// `notEntitled` without admin keys; `authenticationFailed` for a wrong passphrase; `integrity`; `upgradeNeeded`.
  package static func open(
    _ local: LocalVault, allowingLogFork: Bool, removing machines: Set<DeviceID> = [], passphrase: PassphraseSource
  ) throws(VaultError) -> AdminSession {
    if let error = try local.revocationError() { throw error }
    let membership = try local.membership()
    let file = try local.deviceFile()
    try checkChange(of: local, removing: allowingLogFork ? nil : machines)
    let passphrase = passphrase.rememberingFirst()
    let keys = try AdminKeys.open(local, in: membership, passphrase: passphrase)
    let id = AuthorID(vault: membership.vault, keys: keys.publicKeys)
    let hasPassphrase = try local.hasPassphrase
    guard let author = membership.authors[id], author.cut == nil else {
      throw try local.explaining(
        VaultError(
          .notEntitled, "this machine's admin is not in the membership log",
          recoverySuggestion: "clone the vault again with the vault key"))
    }
    return AdminSession(
      local: local, keys: keys, id: id, device: DeviceID(vault: membership.vault, keys: file.keys.publicKeys),
      source: passphrase, hasPassphrase: hasPassphrase)
  }

  /// Opens root's keys for a change that only root signs. By default, the change is made although another machine has
  /// seen entries of the log that this one does not have: a machine that is removed could otherwise keep root waiting
  /// for ever.
  package static func openRoot(
    _ local: LocalVault, vaultKey: VaultKey, allowingLogFork: Bool = true
  ) throws(VaultError) -> AdminSession {
    try checkChange(of: local, signer: .root, removing: allowingLogFork ? nil : [])
    let membership = try local.membership()
    let file = try local.deviceFile()
    return AdminSession(
      local: local, keys: try VaultKeyCheck.begin(in: local).root(openedBy: vaultKey), id: .root,
      device: DeviceID(vault: membership.vault, keys: file.keys.publicKeys),
      source: .unavailable, hasPassphrase: false)
  }

  /// Returns this machine's transport keys in ascending order of generation. The newest seals the next entries. They
  /// are read for each change: a sync may have brought a revocation, and the revoked machine has the key before it. A
  /// key that this machine has made itself is in its log only, until the next sync.
  package static func transportKeys(
    of local: LocalVault, in reader: borrowing some StoreAccess & ~Copyable
  ) throws -> [TransportKey] {
    let device = try local.deviceFile()
    let keys = try device.transportKeys + local.newTransportKeys(for: device, through: .max, in: reader)
    return keys.sorted { $0.generation < $1.generation }
  }

  /// Who signs the changes: this machine's admin, or root.
  package var signer: LogEntry.Signer { id == .root ? .root : .admin(id) }

  /// Returns this machine's passphrase, for the credential of an app that requires it. It has opened the admin keys
  /// before.
  private func passphrase(of application: ApplicationID) throws(VaultError) -> SecretText {
    guard hasPassphrase else { throw PendingCredential.noPassphrase(for: application) }
    return try source.passphrase()
  }

  /// Returns this machine's passphrase if an app's credential is sealed under it: by its registration, or because it is
  /// one of the owner's own.
  func sealingPassphrase(of app: App) throws(VaultError) -> SecretText? {
    if app.statement.requiresPassphrase { return try passphrase(of: app.id) }
    return hasPassphrase && OwnApps.contains(app.id) ? try source.passphrase() : nil
  }

  /// Drafts entries on top of the current log and commits them, all or none. In a log that has forked, the drafted
  /// entries must end the fork.
  ///
  /// The claims of `machines` about the log do not count. With `despiteNewRecords`, revocations are pushed even if
  /// further records of who is removed arrive first; these are refused then. Returns the position of the last entry,
  /// nil if no entry was necessary. Throws `upgradeNeeded` if the log has unknown critical entries, and `integrity` if
  /// it has forked or lacks entries that others have seen.
  package func change<Result>(
    allowingLogFork: Bool, removing machines: Set<DeviceID> = [], despiteNewRecords: Bool = false,
    at time: Timestamp = .now, _ draw: (inout LogDraft) throws -> Result
  ) throws(VaultError) -> (result: Result, position: LogPosition?) {
    try translatingErrors {
      try local.store.write { writer in
        let branches = try local.branches(in: writer)
        try Self.checkUnderstood(branches, signer: signer)
        let membership = branches.continued
        if signer == .root, !allowingLogFork {
          try writer.allowLogFork()
        } else {
          try writer.checkClaims(in: membership, despite: allowingLogFork, except: machines)
        }
        var draft = try LogDraft(
          membership: membership, transportKeys: Self.transportKeys(of: local, in: writer), time: time)
        let withdrawn = try WithdrawnLog.load(from: writer).unstated(by: signer, in: membership, writer)
        try draft.withdraw(withdrawn, by: signer, key: keys.signing)
        let result = try draw(&draft)
        if let fork = branches.fork, try draft.fork(writer) != nil { throw fork.error }
        try draft.commit(to: writer)
        if despiteNewRecords, !draft.isEmpty { try writer.setFinalDraft(draft.membership.head.hash) }
        return (result, draft.isEmpty ? nil : draft.membership.head)
      }
    }
  }

  /// Throws the error that a change would throw because of the log. The claims of `machines` do not count; with nil, no
  /// claims count.
  private static func checkChange(
    of local: LocalVault, signer: LogEntry.Signer? = nil, removing machines: Set<DeviceID>?
  ) throws(VaultError) {
    try translatingErrors {
      try local.store.read { reader in
        let membership = try local.membership(in: reader)
        try checkUnderstood(local.branches(in: reader), signer: signer)
        if let machines, let error = try LogClaims.load(from: reader).error(in: membership, except: machines) {
          throw error
        }
      }
    }
  }

  /// Throws `upgradeNeeded` if the log has unknown critical entries, and `integrity` if it has forked or a part of a
  /// revocation is missing. Root may change a log that has forked, to end that. The signer is nil for an admin.
  package static func checkUnderstood(_ branches: LogBranches, signer: LogEntry.Signer? = nil) throws(VaultError) {
    let chain = branches.chain
    if let unknown = chain.firstUnknownCritical {
      throw VaultError(
        .upgradeNeeded, "entry \(unknown) of the membership log was written by a newer Coffer",
        recoverySuggestion: "upgrade Coffer")
    }
    if let fork = branches.fork, signer != .root { throw fork.error }
    let isWhole =
      branches.fork == nil
      ? branches.effective.head == chain.head
      : chain.incompleteBatch == nil && chain.missingRecordLists.isEmpty
    guard isWhole else {
      throw VaultError(
        .integrity, "a part of the last change of membership is missing: it is withheld, or was never sent",
        recoverySuggestion: "sync where it was signed; if the rest never comes, give it up with: coffer log resolve")
    }
  }
}
