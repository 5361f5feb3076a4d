internal import CofferCrypto
package import CofferFormat
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault
internal import Foundation

/// Makes this machine an admin of a vault, with the vault key: of a downloaded vault or, under new keys, of the one that it
/// has.
package final class Enrolment {
  /// The folder for the new keys.
  private let folder: VaultFolder
  private let root: PartyKeys
  private let device: PartyKeys
  private let admin = PartyKeys.random()
  private let local: LocalVault
  /// The number of entries of the log that this machine can open as root.
  private let logLength: UInt64

  private init(_ folder: VaultFolder, root: PartyKeys, device: PartyKeys, local: LocalVault, logLength: UInt64) {
    self.folder = folder
    self.root = root
    self.device = device
    self.local = local
    self.logLength = logLength
  }

  /// Verifies the files in the folder's `incoming`, builds the store from them, and writes this machine's new device
  /// keys. The downloaded files are deleted.
  ///
  /// - Parameters:
  ///   - folder: The folder of the new vault, with a download in `incoming`.
  ///   - vaultKey: The vault key.
  /// - Returns: The enrolment, to be continued with ``join(deviceName:protection:)``.
  /// - Throws: ``VaultError``: `authenticationFailed` for a wrong vault key; `integrity` for objects that are not
  ///   valid.
  package static func begin(in folder: VaultFolder, vaultKey: VaultKey) throws(VaultError) -> Enrolment {
    let download = try VerifiedDownload.read(from: folder.incoming, vaultKey: vaultKey)
    guard !download.transportKeys.isEmpty, let root = download.root else {
      throw VaultError(.integrity, "the repository's membership log names no transport key")
    }
    try translatingErrors {
      let store = try Store.create(
        at: folder.storePath, genesis: download.genesis.bytes, rootSlot: download.rootSlot.bytes)
      try store.write { writer in
        try writer.setSetting(.remoteURL, download.url)
        for slot in download.laterRootSlots { try writer.insert(slot, published: []) }
        for (entry, envelope) in download.log {
          try writer.appendLogEntry(
            sequence: entry.sequence, entry: entry.bytes, envelope: envelope.bytes, published: [])
        }
      }
      FaultPoint.reached(.downloadImported)
      try FileManager.default.removeItem(at: folder.incoming)
    }
    let device = PartyKeys.random()
    try VaultCreation.writeDeviceFile(
      DeviceFile(
        genesis: download.genesis.hash, keys: device, localSecret: .random(count: 32),
        transportKeys: download.transportKeys), to: folder)
    let local = try LocalVault.open(folder)
    // Without a summary, the first sync would check every record that it has just imported once more.
    try local.writeSummary()
    return Enrolment(
      folder, root: root, device: device, local: local, logLength: UInt64(download.log.count))
  }

  /// Begins to enrol this machine anew in the vault that it has, as another machine with its own keys, because the
  /// passphrase of its keys is forgotten.
  ///
  /// - Parameters:
  ///   - local: The vault.
  ///   - vaultKey: The vault key.
  /// - Returns: The enrolment, to be continued with ``join(deviceName:protection:despiteClaims:)`` and completed with
  ///   ``replaceKeys(_:protection:)``.
  /// - Throws: ``VaultError``: `authenticationFailed` for a wrong vault key; `integrity`.
  package static func renew(_ local: LocalVault, vaultKey: VaultKey) throws(VaultError) -> Enrolment {
    let root = try VaultKeyCheck.begin(in: local).root(openedBy: vaultKey)
    // Its present keys open all later ones.
    return Enrolment(local.folder.newKeysDraft, root: root, device: .random(), local: local, logLength: .max)
  }

  /// Replaces this machine's keys and the credentials of its apps, in one step that a crash does not divide. The caller
  /// holds the vault's lock for changes of membership.
  ///
  /// - Parameters:
  ///   - credentials: The credentials of ``join(deviceName:protection:despiteClaims:)``. Their entries are on the remote.
  ///   - protection: How this machine keeps its admin keys.
  /// - Throws: ``VaultError``: the errors of the file system. The old keys still count then.
  package func replaceKeys(_ credentials: [PendingCredential], protection: AdminProtection) throws(VaultError) {
    let vault = local.folder
    // A sync signs with the machine's keys.
    let lock = try FileLock.acquire(path: vault.syncLockPath, timeout: .seconds(120), purpose: "sync")
    defer { extendLifetime(lock) }
    let genesis = try local.membership().genesis.hash
    let old = try local.deviceFile()
    // Another machine's keys must not continue a stream.
    try translatingErrors { try local.store.write { try $0.endOwnStreams() } }
    try KeyReplacement.run(in: vault, applications: vault.credentialNames()) { (draft) throws(VaultError) in
      try VaultCreation.writeDeviceFile(
        DeviceFile(
          genesis: genesis, keys: device, localSecret: old.localSecret, transportKeys: old.transportKeys), to: draft)
      try writeAdminKeys(protection)
    } draftCredentials: { (_) throws(VaultError) in
      for credential in credentials { try credential.install(in: local) }
    }
  }

  /// Whether the log names lists of records that this machine does not have: the next sync downloads them. Until then, the
  /// membership cannot be changed.
  package var lacksRecordLists: Bool {
    get throws(VaultError) {
      try translatingErrors { try local.store.read { try !local.branches(in: $0).chain.missingRecordLists.isEmpty } }
    }
  }

  /// Writes this machine's admin keys.
  package func writeAdminKeys(_ protection: AdminProtection) throws(VaultError) {
    try AdminKeys.write(admin, genesis: local.membership().genesis.hash, protection: protection, to: folder)
  }

  /// Appends entries to the current log: this machine, a principal for each registered app, and the keys for them. Call
  /// it again if another machine's entries were pushed first.
  ///
  /// - Parameters:
  ///   - deviceName: The owner's name for this machine. If another machine has it, a number is appended.
  ///   - protection: How this machine keeps its admin keys.
  ///   - despiteClaims: Whether the entries are pushed although another machine has seen entries of the log that the
  ///     remote does not show.
  /// - Returns: One credential for each app, to be installed when the entries are on the remote, and the position of
  ///   the last entry.
  /// - Throws: ``VaultError``: `upgradeNeeded` if the log has unknown critical entries; `invalidArgument` for a name
  ///   that is not valid.
  package func join(
    deviceName: String, protection: AdminProtection, despiteClaims: Bool = false
  ) throws(VaultError) -> (credentials: [PendingCredential], position: LogPosition) {
    try VaultCreation.checkDeviceName(deviceName)
    return try translatingErrors {
      try local.store.write { writer in
        let membership = try local.membership(in: writer)
        let branches = try local.branches(in: writer)
        if let succession = branches.chain.succession(from: root.publicKeys) {
          throw VaultError.replacedVaultKey(succession)
        }
        if let revocation = branches.chain.incompleteBatch, revocation.sequence > logLength {
          // This machine was none yet when the new keys were made, so its syncs cannot open what follows.
          throw VaultError(
            .network, "a machine was taken out of the vault meanwhile, and the vault's keys were replaced",
            recoverySuggestion: "run `coffer clone` again")
        }
        try AdminSession.checkUnderstood(branches)
        if despiteClaims { try writer.checkClaims(in: membership, despite: true) }
        var draft = LogDraft(membership: membership, transportKey: try AdminSession.transportKey(of: local, in: writer))
        // An attempt before this one may have been refused.
        let withdrawals = try LogWithdrawals.load(from: writer)
        try draft.withdraw(
          withdrawals.unstated(by: .root, in: membership, writer), by: .root, key: root.signing)
        try draft.append(
          .device(
            DeviceStatement(
              keys: device.publicKeys, adminKeys: admin.publicKeys, name: membership.unusedDeviceName(deviceName))),
          by: .root, key: root.signing)
        let id = AuthorID(vault: membership.vault, keys: admin.publicKeys)
        try draft.withdraw(
          withdrawals.unstated(by: .admin(id), in: membership, writer), by: .admin(id), key: admin.signing)
        let deviceID = DeviceID(vault: membership.vault, keys: device.publicKeys)
        var credentials: [PendingCredential] = []
        for app in membership.apps.values.sorted(by: { $0.id.description < $1.id.description }) {
          let keys = PartyKeys.random()
          try draft.append(
            .principal(PrincipalStatement(app: app.registration, device: deviceID, keys: keys.publicKeys)),
            by: .admin(id), key: admin.signing)
          credentials.append(
            try PendingCredential(
              of: app.id, in: folder, keys: keys, device: deviceID, membership: draft.membership,
              passphrase: protection.passphrase(of: app)))
        }
        for group in membership.groups.values.sorted(by: { $0.id < $1.id }) {
          try draft.grantMissingBoxes(
            of: group.name, openedAs: .root, with: root.agreement, by: .admin(id), key: admin.signing)
        }
        try draft.commit(to: writer)
        return (credentials, draft.membership.head)
      }
    }
  }

  /// The vault, for installing credentials.
  package var vault: LocalVault { local }
}

extension AdminProtection {
  /// The machine's passphrase, if the app's credential must be sealed under it; nil otherwise.
  fileprivate func passphrase(of app: App) throws(VaultError) -> SecretText? {
    guard app.statement.requiresPassphrase else { return nil }
    guard case .passphrase(let passphrase) = self else { throw PendingCredential.noPassphrase(for: app.id) }
    return passphrase
  }
}
