package import Coffer
internal import CofferCrypto
package import CofferFormat
internal import CofferStore
internal import CofferSystem
package import CofferTrust
internal import CofferVault

/// Enrols this machine in a vault, as an admin or a member, with the vault key: in a downloaded vault or, under new
/// keys, in the one that it has.
package final class Enrolment {
  /// The folder for the new keys.
  private let folder: VaultFolder
  private let root: PartyKeys
  private let device: PartyKeys
  private let delivery = AgreementKey.random()
  /// The keys of its admin; nil for a member.
  private let admin: PartyKeys?
  private let role: EnrolledRole
  private let local: LocalVault
  /// The number of entries of the log that this machine can open as root.
  private let logLength: UInt64

  private init(
    _ folder: VaultFolder, as role: EnrolledRole, root: PartyKeys, device: PartyKeys, local: LocalVault,
    logLength: UInt64
  ) {
    self.folder = folder
    self.role = role
    admin = role == .admin ? .random() : nil
    self.root = root
    self.device = device
    self.local = local
    self.logLength = logLength
  }

  /// Verifies the files in the folder's `incoming`, builds the store from them, and writes this machine's new device
  /// keys. The downloaded files are deleted. Continue with ``join(deviceName:protection:allowingLogFork:)``. Throws
  /// `authenticationFailed` for a wrong vault key, and `integrity` for objects that are not valid or a log without the
  /// entry of `headPhrase`.
  package static func begin(
    in folder: VaultFolder, vaultKey: VaultKey, as role: EnrolledRole = .admin, headPhrase: Phrase? = nil
  ) throws(VaultError) -> Enrolment {
    let download = try VerifiedDownload.read(from: folder.incoming, vaultKey: vaultKey)
    try download.check(headPhrase)
    guard !download.transportKeys.isEmpty, let root = download.root else {
      throw VaultError.damagedRepository("its membership log names no transport key")
    }
    try download.createStore(in: folder)
    let device = PartyKeys.random()
    try folder.deviceFile.write(
      DeviceFile(
        genesis: download.genesis.hash, keys: device, localSecret: .random(count: 32),
        transportKeys: download.transportKeys))
    let local = try LocalVault.open(folder)
    // Without a summary, the first sync would check every record that it has just imported once more.
    try local.writeSummary()
    return Enrolment(
      folder, as: role, root: root, device: device, local: local, logLength: UInt64(download.log.count))
  }

  /// Begins to enrol this machine anew in the vault that it has, as another machine with its own keys, because the
  /// passphrase of its keys is forgotten. It keeps its role: a member gets the apps that have a credential here and may
  /// have one in a file.
  /// Continue with ``join(deviceName:protection:allowingLogFork:)``, and complete with ``replaceKeys(_:protection:)``.
  package static func renew(_ local: LocalVault, vaultKey: VaultKey) throws(VaultError) -> Enrolment {
    let root = try VaultKeyCheck.begin(in: local).root(openedBy: vaultKey)
    let membership = try local.membership()
    // A draft that may still be discarded must not make a member of an admin.
    let isMember = try local.machine(in: local.publishedMembership())?.role == .member
    let apps = try local.folder.credentialNames().filter { name in
      membership.apps.values.contains { $0.id.description == name && membership.allowsFile(for: $0) }
    }
    // Its present keys open all later ones.
    return Enrolment(
      local.folder.newKeysDraft, as: isMember ? .member(apps: apps) : .admin, root: root, device: .random(),
      local: local, logLength: .max)
  }

  /// Replaces this machine's keys and the credentials of its apps, in one step that a crash does not divide. The caller
  /// holds the vault's lock for changes of membership. The entries of the credentials, from
  /// ``join(deviceName:protection:allowingLogFork:)``, are on the remote. If it throws, the old keys still count.
  package func replaceKeys(_ credentials: [PendingCredential], protection: AdminProtection) throws(VaultError) {
    let vault = local.folder
    // A sync signs with the machine's keys.
    let lock = try FileLock.acquire(path: vault.syncLockPath, timeout: .seconds(120), purpose: "sync")
    defer { extendLifetime(lock) }
    let genesis = try local.membership().genesis.hash
    let old = try local.deviceFile()
    // Without a remote, the log alone has the keys that this machine has made, in boxes which only its old keys open.
    let keys = try translatingErrors { try local.store.read { try AdminSession.transportKeys(of: local, in: $0) } }
    // Another machine's keys must not continue a stream.
    try translatingErrors { try local.store.write { try $0.endOwnStreams() } }
    if admin == nil { AdminKeys.discard(in: vault) }
    try KeyReplacement.run(in: vault, applications: vault.credentialNames()) { (draft) throws(VaultError) in
      try draft.deviceFile.write(
        DeviceFile(genesis: genesis, keys: device, localSecret: old.localSecret, transportKeys: keys))
      try writeOwnerKeys(protection)
    } draftCredentials: { (_) throws(VaultError) in
      for credential in credentials { try credential.install(in: local) }
    }
  }

  /// Whether the log names lists of records that this machine does not have: the next sync downloads them. Until then,
  /// the membership cannot be changed.
  package var lacksRecordLists: Bool {
    get throws(VaultError) {
      try translatingErrors { try local.store.read { try !local.branches(in: $0).chain.missingRecordLists.isEmpty } }
    }
  }

  /// Writes this machine's delivery key and, on an admin, its admin keys.
  package func writeOwnerKeys(_ protection: AdminProtection) throws(VaultError) {
    let genesis = try local.membership().genesis.hash
    if let admin { try protection.write(admin, of: genesis, to: folder.adminFile) }
    try protection.write(delivery, of: genesis, to: folder.deliveryFile)
  }

  /// Keeps the vault key on an admin's machine until its owner has it, see ``KeptVaultKey``. One that has replaced
  /// another was shown then.
  package func keep(_ vaultKey: VaultKey) throws(VaultError) {
    guard let admin, try local.membership().successions.isEmpty else { return }
    try KeptVaultKey.write(vaultKey, to: folder, for: admin)
  }

  /// Appends entries to the current log: this machine, a principal for each of its apps, and the keys for them. Call it
  /// again if another machine's entries were pushed first.
  ///
  /// If another machine has the name, a number is appended. The credentials are to be installed when the entries are on
  /// the remote. With `allowingLogFork`, another machine may have seen entries of the log that the remote does not
  /// show. Throws `notEntitled` for an app of a member that is not registered.
  package func join(
    deviceName: String, protection: AdminProtection, allowingLogFork: Bool = false
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
            .network, "a machine was removed from the vault meanwhile, and the vault's keys were replaced",
            recoverySuggestion: "run `coffer clone` again")
        }
        try AdminSession.checkUnderstood(branches)
        if allowingLogFork { try writer.checkClaims(in: membership, despite: true) }
        var draft = try LogDraft(
          membership: membership, transportKeys: AdminSession.transportKeys(of: local, in: writer))
        // An attempt before this one may have been refused.
        let withdrawals = try WithdrawnLog.load(from: writer)
        try draft.withdraw(
          withdrawals.unstated(by: .root, in: membership, writer), by: .root, key: root.signing)
        let delivery = delivery.publicKey
        let role = admin.map { DeviceStatement.Role.admin($0.publicKeys, delivery: delivery) }
        let machine = try draft.enrol(
          DeviceStatement(
            keys: device.publicKeys, role: role ?? .member(delivery: delivery),
            name: membership.unusedDeviceName(deviceName)),
          by: .root, key: root.signing)
        let apps = try self.apps(in: membership)
        var keys: [PartyKeys]
        if let admin {
          let id = AuthorID(vault: membership.vault, keys: admin.publicKeys)
          let given = try withdrawals.unstated(by: .admin(id), in: membership, writer)
          try draft.withdraw(given, by: .admin(id), key: admin.signing)
          keys = try addApps(apps, to: machine, by: .admin(id), admin, &draft)
        } else {
          keys = try deliver(apps, to: machine, &draft)
        }
        let credentials = try zip(apps, keys).map { app, keys in
          try PendingCredential(
            of: app.id, in: folder, keys: keys, device: machine, membership: draft.membership,
            passphrase: protection.passphrase(of: app))
        }
        try draft.commit(to: writer)
        return (credentials, draft.membership.head)
      }
    }
  }

  /// The apps that the machine gets, in ascending order of their identifiers.
  private func apps(in membership: Membership) throws(VaultError) -> [App] {
    // The others are installed by root on this machine.
    let all = membership.apps.values.filter { membership.allowsFile(for: $0) }
      .sorted { $0.id.description < $1.id.description }
    guard case .member(let names) = role else { return all }
    var wanted: Set<ApplicationID> = []
    for name in names {
      let application = try local.application(named: name)
      if let app = membership.apps[application] { try membership.checkAllowsFile(for: app) }
      wanted.insert(application)
    }
    return all.filter { wanted.contains($0.id) }
  }

  /// Makes keys for the apps of an admin's machine, and seals the keys of all groups to them and to the admin.
  private func addApps(
    _ apps: [App], to machine: DeviceID, by signer: LogEntry.Signer, _ admin: PartyKeys, _ draft: inout LogDraft
  ) throws(VaultError) -> [PartyKeys] {
    let keys = apps.map { _ in PartyKeys.random() }
    for (app, keys) in zip(apps, keys) {
      let statement = PrincipalStatement(app: app.registration, device: machine, keys: keys.publicKeys)
      try draft.append(.principal(statement), by: signer, key: admin.signing)
    }
    for group in draft.membership.groups.values.sorted(by: { $0.id < $1.id }) {
      try draft.grantMissingBoxes(
        of: group.name, openedAs: .root, with: root.agreement, by: signer, key: admin.signing)
    }
    return keys
  }

  /// Delivers the apps of a member to it, as an admin can do later. The member can take them again if it loses them.
  private func deliver(
    _ apps: [App], to machine: DeviceID, _ draft: inout LogDraft
  ) throws(VaultError) -> [PartyKeys] {
    var keys: [PartyKeys] = []
    for app in apps { keys.append(try draft.deliver(app, to: machine, by: .root, key: root.signing)) }
    for app in apps { try draft.grantGroups(of: app.entitlements, by: .root, with: root) }
    return keys
  }

  /// Opens the vault to read it with the vault key, before this machine is enrolled. What the last sync has brought is
  /// there.
  package func openAsRoot() throws(VaultError) -> Vault { try Vault.open(asRootOf: local, keys: root) }

  /// The vault, for installing credentials.
  package var vault: LocalVault { local }
}

extension AdminProtection {
  /// The machine's passphrase, if the app's credential must be sealed under it; nil otherwise.
  fileprivate func passphrase(of app: App) throws(VaultError) -> SecretText? {
    guard app.statement.requiresPassphrase || OwnApps.contains(app.id) else { return nil }
    if case .passphrase(let passphrase) = self { return passphrase }
    if app.statement.requiresPassphrase { throw PendingCredential.noPassphrase(for: app.id) }
    return nil
  }
}
