internal import CofferCrypto
package import CofferFormat
internal import CofferKeys
internal import CofferStore
package import CofferTrust
internal import CofferVault

/// Registers apps, and creates their credentials on this machine.
package struct AppRegistration: Sendable {
  private let local: LocalVault
  private let passphrase: PassphraseSource
  private let allowingLogFork: Bool
  /// Whether the files of this vault belong to an account that only the app uses.
  private let hasOwnAccount: Bool

  /// With `allowingLogFork`, changes membership although another machine has seen entries of the log that this one
  /// lacks. With `hasOwnAccount`, only the app can read files of this user.
  package init(
    _ local: LocalVault, passphrase: PassphraseSource, allowingLogFork: Bool = false, hasOwnAccount: Bool = false
  ) {
    self.hasOwnAccount = hasOwnAccount
    self.local = local
    self.passphrase = passphrase
    self.allowingLogFork = allowingLogFork
  }

  /// The result of a registration.
  package struct Outcome: Sendable {
    package let application: ApplicationID
    package let entitlements: Entitlements
    /// False if the same plist was registered before.
    package let isChanged: Bool
    /// What the app may do more or less than before.
    package let change: RightsChange
    /// The credential to install when the change is published; nil if this machine has one that works.
    package let credential: PendingCredential?
    /// ``credential`` as a list.
    package var credentials: [PendingCredential] { credential.map { [$0] } ?? [] }
    /// Whether no credential was made because a group of the app requires that root installs it.
    package let needsInstallation: Bool
    /// The position of the change in the log; nil if no change was necessary.
    package fileprivate(set) var position: LogPosition?
  }

  /// A plist to register, and what it is read with.
  package struct Request: Sendable {
    private let plist: [UInt8]
    private let source: String
    private let bundleID: String?
    private let sourcePrefix: String?
    /// Whether the keys of the plist are checked: those of one that a vault has already stay valid.
    private let checksSpelling: Bool

    /// Takes the name of the plist for errors, the value of `$(CFBundleIdentifier)` if the plist uses it, and the
    /// literal prefix in the plist that is mapped to the team's, if it has one.
    package init(plist: [UInt8], source: String, bundleID: String?, sourcePrefix: String?) {
      self.plist = plist
      self.source = source
      self.bundleID = bundleID
      self.sourcePrefix = sourcePrefix
      checksSpelling = true
    }

    /// Creates the request to register an app of another vault with the same plist.
    package init(of app: App, in team: TeamID) {
      plist = app.statement.entitlements
      source = app.id.description
      bundleID = app.statement.bundleID
      checksSpelling = false
      // A plist can spell out the team of the vault in which it was registered.
      let literal = (try? EntitlementsDocument(bytes: plist, source: source))?.literalTeam
      sourcePrefix = app.statement.sourcePrefix ?? literal.flatMap { $0 == team.description ? nil : $0 }
    }

    /// Returns the rights that the plist claims in a vault.
    package func entitlements(in team: TeamID) throws(VaultError) -> Entitlements {
      let bundle = try bundleID.map { (name) throws(VaultError) in try BundleID(checking: name) }
      return try translatingErrors {
        if checksSpelling { try EntitlementsDocument.checkSpelling(ofKeysIn: plist, source: source) }
        return try EntitlementsDocument(bytes: plist, source: source)
          .expanded(team: team, bundleID: bundle, sourcePrefix: sourcePrefix)
      }
    }

    /// Whether an app was registered with the same plist.
    package func isPlist(of app: App) -> Bool { app.statement.entitlements == plist }

    fileprivate func statement(_ entitlements: Entitlements, requiresPassphrase: Bool) -> AppStatement {
      let application = entitlements.applicationID
      return AppStatement(
        applicationID: application.description, bundleID: application.bundleID.description, sourcePrefix: sourcePrefix,
        requiresPassphrase: requiresPassphrase, groups: entitlements.stated, entitlements: plist)
    }
  }

  /// Returns what a registration would do, by the log as it is here. Throws `notEntitled` for a plist that is not
  /// valid.
  package func preview(_ request: Request) throws(VaultError) -> RegistrationPreview {
    let membership = try local.membership()
    let entitlements = try request.entitlements(in: membership.team)
    let application = entitlements.applicationID
    let change = RightsChange(from: membership.apps[application]?.entitlements, to: entitlements)
    let narrowing = AppNarrowing(of: application, losing: change.lost, in: membership)
    let renewed = membership.groupsToRenew(afterCutting: narrowing.authors)
    // An app on this machine could also read the items that were not synced.
    let own = local.machine(in: membership)?.id
    let isHere = narrowing.authors.contains { membership.authors[$0.author]?.device == own }
    let itemCount = try translatingErrors {
      try local.store.read { reader in
        try renewed.reduce(0) { try $0 + (isHere ? reader.itemCount(in: $1.id) : reader.syncedItemCount(in: $1.id)) }
      }
    }
    return RegistrationPreview(
      application: application, change: change,
      renewedGroups: renewed.map(\.name).sorted { $0.description < $1.description },
      itemCount: itemCount)
  }

  /// Registers an app by its plist, or a changed plist of a registered app, and creates its credential on this machine.
  /// What the app loses is revoked in the same change: its records so far stay valid, and the groups that it may not
  /// read any more get new keys.
  ///
  /// `accepted` are the losses that somebody has confirmed, nil for any; other losses throw `invalidArgument`. With
  /// nil, `requiresPassphrase` stays as it was registered. With `despiteNewRecords`, records that arrive before the
  /// push are refused instead of preventing it. With `keepingRights`, the app loses nothing, whatever the plist lacks.
  /// With `createsCredential` false, root makes the app's keys. `check` may refuse the rights in the membership to
  /// which they are added.
  package func register(
    _ request: Request, requiresPassphrase: Bool? = nil, accepting accepted: [RightsChange.Group]? = [],
    despiteNewRecords: Bool = false, keepingRights: Bool = false, createsCredential: Bool = true,
    check: (Entitlements, Membership) throws(VaultError) -> Void = { (_, _) throws(VaultError) in }
  ) throws(VaultError) -> Outcome {
    let membership = try local.membership()
    let claimed = try request.entitlements(in: membership.team)
    let application = claimed.applicationID
    func entitlements(in membership: Membership) throws(VaultError) -> Entitlements {
      try check(claimed, membership)
      guard keepingRights, let earlier = membership.apps[application]?.entitlements else { return claimed }
      return claimed.keeping(earlier)
    }
    func checkedChange(in membership: Membership) throws(VaultError) -> RightsChange {
      let entitlements = try entitlements(in: membership)
      let change = RightsChange(from: membership.apps[application]?.entitlements, to: entitlements)
      try checkGained(change.gained, of: application, in: membership)
      if let accepted, let loss = change.lost.first(where: { !accepted.contains($0) }) {
        throw VaultError(
          .invalidArgument,
          "\(application) would lose \(loss.after == nil ? "its rights in" : "the right to write") \(loss.name)",
          recoverySuggestion: "if that is meant, add --yes; otherwise keep the group in the plist. Nothing was changed")
      }
      return change
    }
    // Before a passphrase is asked for.
    _ = try checkedChange(in: membership)
    let session = try AdminSession.open(local, allowingLogFork: allowingLogFork, passphrase: passphrase)
    var (outcome, position) = try session.change(
      allowingLogFork: allowingLogFork, despiteNewRecords: despiteNewRecords
    ) { draft in
      let earlier = draft.membership.apps[application]
      let change = try checkedChange(in: draft.membership)
      let entitlements = try entitlements(in: draft.membership)
      let statement = request.statement(
        entitlements, requiresPassphrase: requiresPassphrase ?? earlier?.statement.requiresPassphrase ?? false)
      let isChanged = earlier.map { statement != $0.statement } ?? true
      let narrowing = AppNarrowing(of: application, losing: change.lost, in: draft.membership)
      if !narrowing.authors.isEmpty {
        let records = try local.store.read { reader in
          try reader.countedRecords(of: Set(narrowing.authors.map(\.author)))
        }.filter(narrowing.contains)
        try draft.revoke(
          RevokedRights(authors: narrowing.authors, registration: statement), keeping: records.map(\.hash),
          by: session.signer, keys: session.keys)
      } else if isChanged {
        try draft.append(.app(statement), by: session.signer, key: session.keys.signing)
      }
      let credential =
        createsCredential
        ? try createCredential(application, draft: &draft, session: session, onlyIfMissing: true) : nil
      if !createsCredential { try draft.grantGroups(of: entitlements, by: session.signer, with: session.keys) }
      return Outcome(
        application: application, entitlements: entitlements, isChanged: isChanged, change: change,
        credential: credential,
        needsInstallation: credential == nil && needsInstallation(application, in: draft.membership), position: nil)
    }
    outcome.position = position
    return outcome
  }

  /// Creates a credential for a registered app, and replaces one that is lost or does not work. The credential is
  /// installed when its log entry is published. Throws `notEntitled` if the app is not registered.
  package func install(
    _ application: ApplicationID
  ) throws(VaultError) -> (credential: PendingCredential, position: LogPosition?) {
    if InstalledApp(application.bundleID).ownUser(of: application)?.enforcement == .group {
      throw VaultError(
        .invalidArgument, "\(application) is installed on this machine, and a credential file would undo that",
        recoverySuggestion: "give it a new credential with: sudo coffer app install \(application.bundleID)")
    }
    if hasOwnAccount, local.ownerKeyProtection == .open {
      throw VaultError(
        .notEntitled, "this account has the owner's keys without a passphrase, so the app could read all groups",
        recoverySuggestion: "make its vault a member's with `coffer clone --member`, or run: coffer passphrase set")
    }
    // Before a passphrase is asked for.
    _ = try installable(application, in: local.membership())
    let session = try AdminSession.open(local, allowingLogFork: allowingLogFork, passphrase: passphrase)
    let (credential, position) = try session.change(allowingLogFork: allowingLogFork) { draft in
      _ = try installable(application, in: draft.membership)
      guard let credential = try createCredential(application, draft: &draft, session: session, onlyIfMissing: false)
      else {
        throw VaultError(.io, "no credential was made for \(application)")
      }
      return credential
    }
    return (credential, position)
  }

  /// Gives a registered app keys on another machine, sealed to that machine. Does nothing if the machine was given keys
  /// that have all of the app's rights: it can take them again. Returns no position if nothing was missing. Throws
  /// `notEntitled` if the app is not registered, `itemNotFound` if the machine was removed, and `invalidArgument` if it
  /// has no delivery key.
  ///
  /// Throws `notEntitled` if a group of the app requires that no other program can read its keys, unless
  /// `hasOwnAccount` says that only the app uses the account of that machine's vault.
  package func deliver(
    _ application: ApplicationID, to machine: DeviceID
  ) throws(VaultError) -> (isNew: Bool, position: LogPosition?) {
    // Before a passphrase is asked for.
    _ = try installable(application, in: local.membership())
    let session = try AdminSession.open(local, allowingLogFork: allowingLogFork, passphrase: passphrase)
    let (isNew, position) = try session.change(allowingLogFork: allowingLogFork) { draft in
      let app = try installable(application, in: draft.membership)
      let known = draft.membership.delivered(application, to: machine)
      let isNew = !known.contains(where: draft.membership.hasAllRights)
      if isNew { try draft.deliver(app, to: machine, by: session.signer, key: session.keys.signing) }
      try draft.grantGroups(of: app.entitlements, by: session.signer, with: session.keys)
      return isNew
    }
    return (isNew, position)
  }

  /// Returns a registered app that may have a credential file. Throws `notEntitled` for every other one.
  private func installable(_ application: ApplicationID, in membership: Membership) throws(VaultError) -> App {
    guard let app = membership.apps[application] else { throw .notRegistered(application) }
    if !hasOwnAccount { try membership.checkAllowsFile(for: app) }
    return app
  }

  /// Throws `notEntitled` if an app that may have keys in files gains a group that forbids that: the group's keys would
  /// be sealed to them. Other machines have made no file for an app that had such a group before.
  private func checkGained(
    _ gained: [RightsChange.Group], of application: ApplicationID, in membership: Membership
  ) throws(VaultError) {
    let strong = gained.first {
      $0.before == nil
        && membership.groups[GroupID(vault: membership.vault, name: $0.name.description)]?.requirement == .strong
    }
    guard let strong, let app = membership.apps[application] else { return }
    let isInFilesElsewhere = membership.allowsFile(for: app)
    let here = local.machine(in: membership)?.id
    let inFiles = local.principalsInFiles(of: application, in: membership).filter {
      $0.device == here ? !hasOwnAccount : isInFilesElsewhere
    }
    guard !inFiles.isEmpty else { return }
    let machines = membership.machineNames(of: inFiles)
    let isOnlyHere = inFiles.allSatisfy { $0.device == here }
    throw VaultError(
      .notEntitled,
      "\(strong.name) requires that no other program of the user can read the keys of \(application), and it may have them in a file on \(machines.joined(separator: ", "))",
      recoverySuggestion: isOnlyHere
        ? "install the app's program first, with: sudo coffer app install \(application.bundleID) --setgid PROGRAM"
        : "remove the app with `coffer app remove \(application.bundleID)`, register it again, and install its program on each machine with: sudo coffer app install \(application.bundleID) --setgid PROGRAM"
    )
  }

  /// Appends the entries for missing groups, for a principal if one is needed, and for missing keys.
  private func createCredential(
    _ application: ApplicationID, draft: inout LogDraft, session: AdminSession, onlyIfMissing: Bool
  ) throws(VaultError) -> PendingCredential? {
    guard let app = draft.membership.apps[application] else { return nil }
    guard !onlyIfMissing || !needsInstallation(application, in: draft.membership) else {
      try draft.grantGroups(of: app.entitlements, by: session.signer, with: session.keys)
      return nil
    }
    let file = local.folder.credentialFile(of: application)
    var credential: PendingCredential?
    if !(onlyIfMissing && works(file, app, draft.membership)) {
      let keys = PartyKeys.random()
      try draft.append(
        .principal(PrincipalStatement(app: app.registration, device: session.device, keys: keys.publicKeys)),
        by: session.signer, key: session.keys.signing)
      let passphrase = try session.sealingPassphrase(of: app)
      credential = try PendingCredential(
        of: application, in: local.folder, keys: keys, device: session.device, membership: draft.membership,
        passphrase: passphrase)
    }
    try draft.grantGroups(of: app.entitlements, by: session.signer, with: session.keys)
    return credential
  }

  /// Whether a credential file may not have the app's keys: root installs it, or has done so.
  private func needsInstallation(_ application: ApplicationID, in membership: Membership) -> Bool {
    let installed = InstalledApp(application.bundleID).ownUser(of: application)
    guard !hasOwnAccount, installed?.enforcement != .account else { return false }
    return installed != nil || membership.apps[application].map { !membership.allowsFile(for: $0) } ?? false
  }

  /// Whether a credential belongs to the app, and is sealed under a passphrase exactly if the registration requires it.
  /// That of an app of the owner's own also works in the other form: a change of the passphrase seals it.
  private func works(_ file: SecretFile, _ app: App, _ membership: Membership) -> Bool {
    guard file.exists, let credential = try? file.read(Credential.self) else { return false }
    return credential.genesis == membership.genesis.hash
      && (credential.needsPassphrase == app.statement.requiresPassphrase || OwnApps.contains(app.id))
      && membership.authors[credential.author].map(membership.hasAllRights) == true
      && credential.applicationID == app.id.description
  }
}

extension VaultError {
  /// The error for an app that is not registered.
  package static func notRegistered(_ application: ApplicationID) -> VaultError {
    VaultError(
      .notEntitled, "\(application) is not registered in this vault",
      recoverySuggestion: "register it with: coffer app add FILE.entitlements")
  }
}

extension BundleID {
  /// Throws `invalidArgument` for a malformed identifier.
  init(checking name: String) throws(VaultError) {
    guard let valid = BundleID(name) else {
      throw VaultError(
        .invalidArgument, "the bundle identifier is malformed", recoverySuggestion: "it has \(BundleID.form)")
    }
    self = valid
  }
}
