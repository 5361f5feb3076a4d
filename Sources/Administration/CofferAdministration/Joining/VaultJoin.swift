package import Coffer
internal import CofferCrypto
package import CofferFormat
internal import CofferPlatform
internal import CofferStore
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// Brings the apps and items of a vault that only this machine has into another one, which then takes its place.
///
/// The vault stays in use until the last step, and is not changed before: a program that is interrupted has either not
/// replaced it yet, or has replaced it completely. Each step can be repeated.
package struct VaultJoin {
  /// The vault that joins.
  package let local: LocalVault
  private let owner: Vault
  /// Whether versions whose app cannot sign them in the other vault are brought as the owner's.
  private let takesAsOwner: Bool

  /// Begins to move a vault with this machine's passphrase, if it has one. `asOwner` lets the owner sign the versions
  /// whose app cannot sign them in the other vault. Otherwise they prevent it.
  ///
  /// - Throws: ``VaultError``: `vaultExists` if the vault must stay, see ``check(_:)``; `authenticationFailed`.
  package static func begin(
    in folder: VaultFolder, passphrase: PassphraseSource, asOwner: Bool
  ) throws(VaultError) -> VaultJoin {
    let local = try LocalVault.open(folder)
    try check(local)
    return VaultJoin(
      local: local, owner: try Vault.open(asOwnerOf: local, passphrase: passphrase), takesAsOwner: asOwner)
  }

  /// Throws `vaultExists` unless only this machine has ever had the vault, and nothing of it would be lost: it was
  /// never synced, this machine is its only one, and root has installed none of its apps. How the vault was created
  /// does not matter: once the vault key of a first launch was written down, nothing distinguishes the vault from one
  /// of `coffer init`.
  package static func check(_ local: LocalVault) throws(VaultError) {
    let membership = try local.publishedMembership()
    let path = local.folder.path
    func refusal(_ reason: String, _ suggestion: String) -> VaultError {
      VaultError(
        .vaultExists, "there is a vault at \(path) already, and it cannot join another one: \(reason)",
        recoverySuggestion: suggestion)
    }
    let otherwise = "use it; or choose another place for the clone with COFFER_HOME. Nothing was changed"
    if let url = try local.remote() {
      let first = try local.hasSynced() ? "" : "take its remote away with `coffer remote remove`, and clone again; or "
      throw refusal("it syncs with \(url.sanitizedForTerminal())", first + otherwise)
    }
    if try local.hasSynced() { throw refusal("it was synced with a remote before", otherwise) }
    guard membership.devices.count == 1, local.machine(in: membership)?.admin != nil else {
      throw refusal("other machines, or headless credentials, belong to it", otherwise)
    }
    if let group = membership.groups.values.filter({ $0.requirement != .none })
      .min(by: { $0.name.description < $1.name.description })
    {
      let name = membership.team.removed(from: group.name.description)
      let command = "coffer group require \(name.shellWord)"
      throw refusal(
        "its access group \(name) demands how machines guard its keys, and the other vault's group may not",
        "on a machine of the other vault: \(command) \(group.requirement.name); then here: \(command) none; and clone again"
      )
    }
    for application in membership.apps.keys.sorted(by: { $0.description < $1.description })
    where InstalledApp(application.bundleID).ownUser(of: application) != nil {
      throw refusal(
        "root has installed \(application.bundleID) for it",
        "uninstall the app, clone, and install it again: sudo coffer app uninstall \(application.bundleID)")
    }
  }

  // MARK: Before

  /// Returns what the vault would bring into another one, which its owner or root has opened, or nil if this machine
  /// does not have it yet: nothing is compared then. Changes nothing.
  ///
  /// - Throws: ``VaultError``: `notEntitled` if an app cannot be registered there; `invalidArgument` for items that
  ///   cannot be brought; `integrity` for a damaged item.
  package func preview(in there: Vault?) throws(VaultError) -> JoinPreview {
    let other = try there?.local.publishedMembership()
    if let other { try checkApps(in: other) }
    let own = try local.publishedMembership()
    let claims = try claims(in: own)
    var preview = JoinPreview(path: local.folder.path, team: other?.team.description)
    var foreign = ForeignVersions(team: own.team)
    try owner.forEachPortableItem { item in
      let claim = try Self.claim(of: item, claims, own.team)
      foreign.add(item, claim)
      preview.add(
        item, try there?.comparison(with: item) ?? .missing, group: own.team.removed(from: item.group.description),
        apps: claim)
    }
    guard takesAsOwner else {
      try foreign.checkNone()
      return preview
    }
    preview.takenAsOwner = foreign.lines
    return preview
  }

  /// Returns the groups that the apps' plists claim, which are those that they get in the other vault, with the apps.
  /// An app can have further rights here, from an earlier registration. ``checkApps(in:)`` has not examined those.
  private func claims(in membership: Membership) throws(VaultError) -> [AccessGroupName: GroupClaim] {
    var claims: [AccessGroupName: GroupClaim] = [:]
    for app in try apps() {
      let request = AppRegistration.Request(of: app, in: membership.team)
      for group in try request.entitlements(in: membership.team).groups {
        claims[group.name, default: GroupClaim()].add(app.id.bundleID, group.access)
      }
    }
    return claims
  }

  /// Returns the apps with which an item moves.
  ///
  /// - Throws: ``VaultError``: `invalidArgument` for an item that cannot be brought.
  private static func claim(
    of item: PortableItem, _ claims: [AccessGroupName: GroupClaim], _ team: TeamID
  ) throws(VaultError) -> GroupClaim {
    guard !item.versions.contains(where: \.draft.attributes.isPasswordProtected) else { throw protected(item, team) }
    guard let claim = claims[item.group] else { throw ownerless(item.group, team) }
    return claim
  }

  private static func protected(_ item: PortableItem, _ team: TeamID) -> VaultError {
    VaultError(
      .invalidArgument,
      "an item in \(team.removed(from: item.group.description)) has a value under an application password, which is bound to its vault",
      recoverySuggestion:
        "have its app store it without the password, or delete it, and clone again; nothing was changed")
  }

  private static func ownerless(_ group: AccessGroupName, _ team: TeamID) -> VaultError {
    let name = team.removed(from: group.description)
    return VaultError(
      .invalidArgument, "the access group \(name) has items, and no app's entitlements have it any more",
      recoverySuggestion:
        "register an app with the group (coffer app add FILE), or delete the items, and clone again; nothing was changed"
    )
  }

  /// Throws `notEntitled` if an app of this vault must not have its rights in another one. What an owner has confirmed
  /// here, that two apps share a group, counts there, too.
  private func checkApps(in other: Membership) throws(VaultError) {
    for app in try apps() {
      let request = AppRegistration.Request(of: app, in: other.team)
      try check(request.entitlements(in: other.team), of: app, in: other)
    }
  }

  private func check(_ entitlements: Entitlements, of app: App, in other: Membership) throws(VaultError) {
    if let error = other.removalError(ofAppNamed: entitlements.applicationID.description) { throw error }
    guard !DesktopProgram.isRegistration(app) else { return }
    if let groups = PersonalApp.furtherGroups(of: app) { return try check(ownGroups: groups, of: app, in: other) }
    let own = try local.publishedMembership()
    let objection = VendorRule(of: app).objection(to: entitlements, in: other) { present, group in
      own.apps[ApplicationID(team: own.team, bundleID: present.id.bundleID)]?
        .entitlements.access(to: group.renamed(for: own.team)) != nil
    }
    guard let objection else { return }
    throw VaultError(
      .notEntitled, "\(app.id.bundleID) cannot be registered in the other vault: \(objection)",
      recoverySuggestion:
        "if that is meant, register it on a machine of that vault (coffer app add FILE), and clone again; nothing was changed"
    )
  }

  /// Throws `notEntitled` if a group that a person has created here belongs to another app there: the two would be one.
  private func check(ownGroups groups: [String], of app: App, in other: Membership) throws(VaultError) {
    for name in groups {
      let present = other.apps.values.filter { present in
        present.id.bundleID != app.id.bundleID
          && present.entitlements.groups.contains { other.team.removed(from: $0.name.description) == name }
      }
      guard let first = present.map(\.id.bundleID.description).min() else { continue }
      throw VaultError(
        .notEntitled, "the access group \(name) is your own here, and belongs to \(first) in the other vault",
        recoverySuggestion:
          "move its items to another group (coffer group create OTHER, then coffer move --to OTHER), and clone again; nothing was changed"
      )
    }
  }

  private func apps() throws(VaultError) -> [App] {
    try local.publishedMembership().apps.values.sorted { $0.id.description < $1.id.description }
  }

  // MARK: After the enrolment

  /// Checks that the log of a vault in which this machine is enrolled already has reached the entry of a head phrase.
  ///
  /// - Throws: ``VaultError``: `integrity` if it has no such entry.
  package static func check(_ headPhrase: Phrase?, in local: LocalVault) throws(VaultError) {
    let log = try translatingErrors {
      try local.store.read { try $0.logEntries(after: 0).map { try LogEntry(bytes: $0.entry) } }
    }
    try VerifiedDownload.check(headPhrase, in: log, try local.membership())
  }

  /// Registers the apps of this vault in the other one, with the rights of both, and makes the credentials that are
  /// missing there. Appends entries as ``MembershipPublication`` expects.
  ///
  /// - Parameters:
  ///   - other: The vault in which this machine is an admin.
  ///   - passphrase: The source of this machine's passphrase there. It is asked once.
  /// - Returns: The credentials, to be installed when the entries are on the remote, and the position of the last
  ///   entry; nil if nothing was missing.
  /// - Throws: ``VaultError``: `notEntitled` for an app that must not have its rights there; `authenticationFailed`;
  ///   the errors of a registration.
  package func registerApps(
    in other: LocalVault, passphrase: PassphraseSource
  ) throws(VaultError) -> (credentials: [PendingCredential], position: LogPosition?) {
    let registration = AppRegistration(other, passphrase: passphrase)
    var credentials: [PendingCredential] = []
    var position: LogPosition?
    for app in try apps() {
      let team = try other.membership().team
      let outcome = try registration.register(
        AppRegistration.Request(of: app, in: team), requiresPassphrase: app.statement.requiresPassphrase ? true : nil,
        keepingRights: true
      ) { (entitlements, membership) throws(VaultError) in
        try check(entitlements, of: app, in: membership)
      }
      if let credential = outcome.credential { credentials.append(credential) }
      position = outcome.position ?? position
    }
    // Those that an interrupted run has registered and not written.
    let membership = try other.membership()
    let own = try Set(apps().map(\.id.bundleID))
    for app in membership.apps.values.sorted(by: { $0.id.description < $1.id.description })
    where !own.contains(app.id.bundleID) && membership.allowsFile(for: app)
      && !other.folder.credentialFile(of: app.id).exists
    {
      let installed = try registration.install(app.id)
      credentials.append(installed.credential)
      position = installed.position ?? position
    }
    return (credentials, position)
  }

  /// Writes the items that the other vault lacks, in one transaction. Versions of apps are signed with the keys that
  /// the apps have there.
  private func takeItems(into other: Vault, passphrase: PassphraseSource) throws(VaultError) {
    let own = try local.publishedMembership()
    let claims = try claims(in: own)
    var keys = AppKeys(other, passphrase)
    do {
      try other.transaction {
        var foreign = ForeignVersions(team: own.team)
        try owner.forEachPortableItem { item in
          let claim = try Self.claim(of: item, claims, own.team)
          foreign.add(item, claim)
          try other.take(item, appKeys: try keys.keys(of: claim.signers(of: item)))
        }
        if !takesAsOwner { try foreign.checkNone() }
      }
    } catch {
      throw VaultError(translating: error)
    }
  }

  /// Puts the other vault with the items of this one into this one's place. Programs that write at this moment wait.
  /// The former vault is in the staging folder then. `passphrase` opens the apps' credentials there.
  package func replace(
    by staging: StagingFolder, opened other: Vault, passphrase: PassphraseSource
  ) throws(VaultError) {
    try translatingErrors {
      try local.store.write { writer in
        try other.local.store.moveLogIntoFile()
        try Self.keepStore(of: staging.folder)
        try takeItems(into: other, passphrase: passphrase)
        FaultPoint.reached(.itemsTaken)
        try other.local.store.moveLogIntoFile()
        try staging.exchange()
        try writer.retire()
      }
    }
    FaultPoint.reached(.formerVaultRetired)
  }

  // MARK: An interrupted replacement

  private static func keptStorePath(in folder: VaultFolder) -> String { "\(folder.path)/store-without-items" }

  /// Copies the store as it is before it gets the items. No other program may have it open.
  private static func keepStore(of folder: VaultFolder) throws {
    let (path, draft) = (keptStorePath(in: folder), keptStorePath(in: folder) + ".new")
    unsafe unlink(draft)
    try FileManager.default.copyItem(atPath: folder.storePath, toPath: draft)
    guard unsafe rename(draft, path) == 0 else { throw failure("rename \(draft)") }
  }

  /// Takes back what an interrupted run has written into a vault that has not come into place: an app may have changed
  /// or deleted those items since.
  package static func withdrawItems(from staging: StagingFolder) throws(VaultError) {
    let (path, store) = (keptStorePath(in: staging.folder), staging.folder.storePath)
    guard !isAbsent(path) else { return }
    for file in [store + "-wal", store + "-shm"] { _ = unsafe unlink(file) }
    guard unsafe rename(path, store) == 0 else { throw failure("replace \(store)") }
  }

  private static func failure(_ action: String) -> VaultError {
    VaultError(
      .io, "cannot \(action): \(unsafe String(cString: strerror(errno)))",
      recoverySuggestion: "check that the folder can be written and has space, and clone again")
  }

  /// Removes the copy that ``replace(by:opened:)`` has made, when the vault is in its place.
  package static func removeKeptStore(of folder: VaultFolder) { _ = unsafe unlink(keptStorePath(in: folder)) }

  /// Whether the vault in the folder of ``StagingFolder/joining(for:)`` is the one that another has replaced, which
  /// syncs, and not that other one, which may be incomplete.
  package static func isFormerVault(
    _ folder: VaultFolder, replacedBy other: VaultFolder
  ) throws(VaultError) -> Bool {
    guard folder.exists, try LocalVault.open(other).remote() != nil else { return false }
    if try translatingErrors({ try Store.isRetired(at: folder.storePath) }) { return true }
    return try LocalVault.open(folder).remote() == nil
  }

  /// Finishes a replacement that was interrupted after the other vault had come into its place. `staging` has the
  /// former vault.
  package static func finish(
    _ staging: StagingFolder, into location: VaultLocation, passphrase: PassphraseSource, asOwner: Bool
  ) throws(VaultError) {
    try translatingErrors {
      guard try !Store.isRetired(at: staging.folder.storePath) else { return }
      let former = try begin(in: staging.folder, passphrase: passphrase, asOwner: asOwner)
      let other = try Vault.open(asOwnerOf: LocalVault.open(VaultFolder(location)), passphrase: passphrase)
      try former.local.store.write { writer in
        try former.takeItems(into: other, passphrase: passphrase)
        try writer.retire()
      }
    }
  }
}
