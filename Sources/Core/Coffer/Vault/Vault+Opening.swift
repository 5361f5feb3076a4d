package import CofferAgent
internal import CofferCrypto
internal import CofferFormat
internal import CofferKeys
internal import CofferPlatform
internal import CofferStore
internal import CofferSystem
package import CofferTrust
package import CofferVault
internal import Synchronization

/// How a program gets a vault: by its entitlements, as the owner of the machine, or with a headless credential.
extension Vault {
  /// Opens a vault as the app that the entitlements describe.
  ///
  /// The app's first launch creates and registers what it needs, if its package has installed the plist
  /// `coffer/apps/IDENTIFIER.entitlements` in `/usr/share` or in another folder of shared data that only root, or the
  /// owner of Homebrew, can write to: the user's vault, the app's registration with the groups of that plist, and its
  /// credential on this machine. It gets no group that an app of another vendor has. The environment variable
  /// `COFFER_FIRST_LAUNCH` with the value `off` prevents this on a machine whose administrator wants that.
  ///
  /// The plist must not claim more groups than were registered. The order of the groups and the default group are
  /// those of the registration.
  ///
  /// If no location is named and the environment variable `COFFER_CREDENTIAL_FILE` names a headless credential, the
  /// vault is read from the repository that `COFFER_REPOSITORY` names, into memory and as it is now: items can be read,
  /// and not be written. The program `coffer-sync` must be installed for it.
  ///
  /// If no location is named and the environment variable `COFFER_VAULT` is `:memory:`, the vault is in memory: one for
  /// this process, whose items end with it. A program without entitlements, for instance the tests of a library, then
  /// gets an access group of its own. The vault has an unknown passphrase; ``inMemory(entitlements:passphrase:)``
  /// describes `COFFER_MEMORY_PROMPT` and `COFFER_MEMORY_TEAM`. A program with elevated privileges ignores the
  /// variable.
  ///
  /// If no location is named and the program is in a Flatpak and contains the product `CofferSandbox`, a broker outside
  /// of the sandbox has the vault. It identifies the app by its sandbox, and the plist that is installed with the app
  /// counts. Calls of ``transaction(_:)`` throw `notEntitled` then, and a call throws `busy` if the broker ends during
  /// it.
  ///
  /// - Parameters:
  ///   - entitlements: The app's entitlements; ``EntitlementsSource/automatic`` by default.
  ///   - location: The vault's location; the user's own vault (``VaultLocation/standard()``) if nil.
  ///   - creatingIfNeeded: Whether the app's first launch may create a vault and register the app.
  ///   - prompt: Asks this machine's owner for the passphrase, if one is needed for the registration. Nil, the default,
  ///     for the prompter of `LocalAuthentication` or, if none is set, for nobody: the registration then throws
  ///     `locked`.
  /// - Returns: The vault, unlocked unless the app was registered with `--locked`. Such a vault is unlocked if the user
  ///   has unlocked the agent with `coffer unlock`: it keeps the app's keys, and opens and signs with them. If a group
  ///   of the app demands a lease, this waits until a person has answered, at most 150 seconds.
  /// - Throws: ``VaultError``: `noVault`; `notEntitled` for an app that is not registered, has no credential on this
  ///   machine, or claims more than its registration; `integrity` for another or an altered vault; `locked` if nobody
  ///   can be asked for the passphrase; `authenticationCancelled` if a person has refused the lease; `network` if the
  ///   vault syncs and its remote cannot be reached at the first launch.
  public static func open(
    _ entitlements: EntitlementsSource = .automatic, at location: VaultLocation? = nil, creatingIfNeeded: Bool = true,
    askingForRegistration prompt: AppRegistrationPrompt? = nil
  ) throws(VaultError) -> Vault {
    if location == nil, let headless = try HeadlessVault.openNamed() {
      return try headless.vault(presenting: entitlements)
    }
    if location == nil, VaultLocation.isInMemory { return try openInMemory(as: entitlements) }
    if location == nil, let broker = SandboxedApp.brokerOfThisProcess { return try open(through: broker) }
    // Before any key is in memory. A setgid program is not dumpable when it starts; this also keeps it from becoming
    // so.
    if CurrentProcess.additionalGroup != nil { try? CurrentProcess.harden() }
    let document = try entitlements.document()
    let bundleIdentifier = entitlements.bundleIdentifier(for: document)
    let folder = try VaultFolder.at(location)
    let launch =
      creatingIfNeeded
      ? FirstLaunch(document: document, bundleIdentifier: bundleIdentifier, folder: folder, prompt: prompt) : nil
    try launch?.createVault()
    var loaded: LoadedCredential?
    let local = try LocalVault.open(folder) { genesis in
      loaded = credential(of: document, bundleIdentifier, in: folder, genesis)
      return loaded?.pin
    }
    try launch?.registerIfNeeded(in: local)
    let membership = try local.publishedMembership()
    let application = try local.registeredApplication(
      of: document, bundleIdentifier: bundleIdentifier, in: membership)
    let vault = try open(
      application, local: local, membership: membership, loaded, receiptKey: document.receiptKey)
    try vault.unlockFromAgent()
    return vault
  }

  /// Opens a vault as a registered app, by its credential alone, for `coffer --app`. The name is the app's full
  /// identifier, or a bundle identifier that is unique in the vault. Also returns the vault without the app's keys.
  /// Throws `notEntitled` if no registered app, or more than one, has this name, or if it has no credential; and the
  /// errors of opening.
  package static func open(
    applicationNamed name: String, in folder: VaultFolder
  ) throws(VaultError) -> (vault: Vault, application: ApplicationID, local: LocalVault) {
    var loaded: LoadedCredential?
    let local = try LocalVault.open(folder) { genesis in
      let team = TeamID(genesis: genesis.hash)
      guard let application = ApplicationID(name) ?? BundleID(name).map({ ApplicationID(team: team, bundleID: $0) })
      else { return nil }
      loaded = credential(of: application, in: folder, genesis)
      return loaded?.pin
    }
    let application = try local.application(named: name)
    let vault = try open(application, local: local, membership: local.publishedMembership(), loaded)
    vault.keepValuesInDeniedTree()
    return (vault, application, local)
  }

  /// Returns the credential of the app that a plist names, before the log is read: it has the position up to which the
  /// app has verified the log. Nil for an app whose plist has another team's prefix, because only the log knows its
  /// identifier.
  private static func credential(
    of document: EntitlementsDocument, _ bundleIdentifier: String?, in folder: VaultFolder, _ genesis: Genesis
  ) -> LoadedCredential? {
    let bundleID = bundleIdentifier.flatMap { BundleID($0) }
    guard
      let application = try? document.expanded(
        team: TeamID(genesis: genesis.hash), bundleID: bundleID, sourcePrefix: nil
      ).applicationID
    else { return nil }
    return credential(of: application, in: folder, genesis)
  }

  private static func credential(
    of application: ApplicationID, in folder: VaultFolder, _ genesis: Genesis
  ) -> LoadedCredential? {
    let file = folder.credentialFile(of: application)
    // Errors of the file are reported when it is opened for its keys.
    guard file.exists, let credential = try? file.read(Credential.self), credential.genesis == genesis.hash,
      credential.applicationID == application.description
    else { return nil }
    return LoadedCredential(credential, in: genesis.vault)
  }

  private static func open(
    _ application: ApplicationID, local: LocalVault, membership: Membership, _ loaded: LoadedCredential?,
    receiptKey: VerifyingKey? = nil
  ) throws(VaultError) -> Vault {
    let known = loaded?.credential.applicationID == application.description ? loaded : nil
    let file = local.folder.credentialFile(of: application)
    guard file.exists else {
      if let error = InstalledApp(application.bundleID).missingIdentityError(of: application) { throw error }
      throw VaultError(
        .notEntitled, "\(application) has no credential on this machine",
        recoverySuggestion: "give it one with: coffer app install \(application)")
    }
    let credential = if let known { known.credential } else { try Credential.read(from: file, of: application) }
    let author = try credential.author(in: membership, of: local)
    try InstalledApp.checkEnforcement(
      of: application, with: file, isSealed: credential.needsPassphrase, in: membership)
    try OwnApps.check(application, isSealed: credential.needsPassphrase, in: membership, of: local)
    try local.checkNotRolledBack(to: credential.seen)
    if credential.seen != membership.head { credential.advance(to: membership.head, in: file) }
    if let pin = known?.pin { local.keepFold(with: pin.key) }
    let id = membership.vault
    let vault = Vault(local: local, id: id, author: author, receiptKey: receiptKey) { (passphrase) throws(VaultError) in
      // Read the file each time: keys in the closure would survive a lock.
      let current = try file.read(Credential.self)
      guard current.author == author.id else {
        throw VaultError(
          .notEntitled, "the credential of \(application) was replaced since the vault was opened",
          recoverySuggestion: "open the vault again")
      }
      return try current.keys(passphrase: passphrase, vault: id, machine: local.machine(in: membership)?.name)
    }
    if !credential.needsPassphrase {
      let opened = known?.keys
      let keys = if let opened { opened } else { try credential.keys(passphrase: nil, vault: id, machine: nil) }
      vault.unlock(with: HeldKeys(keys, of: author.id))
    }
    return vault
  }

  /// Opens a vault as the machine's owner, who may read and write every group, and unlocks it. Checks `use` before the
  /// passphrase is asked for; nobody is asked if `keeper` has the keys. Throws `notEntitled` if this machine has no
  /// admin keys, or they are not in the log; `authenticationFailed` for a wrong passphrase; the errors of `use`.
  package static func open(
    asOwnerOf local: LocalVault, passphrase: PassphraseSource, keeper: (any KeyKeeper)? = nil, for use: GroupUse? = nil
  ) throws(VaultError) -> Vault {
    let membership = try local.publishedMembership()
    let admin = local.machine(in: membership)?.admin.flatMap { membership.authors[$0] }
    let access = admin.map { LockedAccess($0, membership, TeamNaming(nil)) }
    let groups =
      try use.flatMap { use throws(VaultError) in try access?.groups(for: use, in: local) } ?? access?.groups ?? []
    // A keeper is not asked for keys that need no passphrase.
    let keeper = (try? local.folder.adminFile.read(AdminFile.self).needsPassphrase) == true ? keeper : nil
    if let keeper, let admin, admin.cut == nil,
      let keys = try keeper.keys(of: admin.id, for: groups.map(\.registered), in: local)
    {
      let vault = try ownerVault(of: admin.id, local, membership)
      vault.unlock(with: keys)
      return vault
    }
    let keys = try AdminKeys.open(local, in: membership, passphrase: passphrase)
    let vault = try ownerVault(of: AuthorID(vault: membership.vault, keys: keys.publicKeys), local, membership)
    keeper?.keep(keys, of: vault.author.id, in: local)
    vault.unlock(with: HeldKeys(keys, of: vault.author.id))
    return vault
  }

  /// Returns the locked vault of an owner. Throws `notEntitled` if the log has no such author.
  private static func ownerVault(
    of id: AuthorID, _ local: LocalVault, _ membership: Membership
  ) throws(VaultError) -> Vault {
    guard let author = membership.authors[id], case .admin = author.role, author.cut == nil else {
      throw try local.explaining(
        VaultError(
          .notEntitled, "this machine's admin keys are not in the membership log",
          recoverySuggestion: "clone the vault again with the vault key"))
    }
    let vault = Vault(local: local, id: membership.vault, author: author) { (passphrase) throws(VaultError) in
      let keys = try AdminKeys.open(
        local, in: local.publishedMembership(),
        passphrase: passphrase.map { given in PassphraseSource { (_) throws(VaultError) in given } } ?? .unavailable)
      guard AuthorID(vault: membership.vault, keys: keys.publicKeys) == author.id else {
        throw VaultError(
          .notEntitled, "this machine's admin keys were replaced since the vault was opened",
          recoverySuggestion: "open the vault again")
      }
      return keys
    }
    vault.keepValuesInDeniedTree()
    return vault
  }
}
