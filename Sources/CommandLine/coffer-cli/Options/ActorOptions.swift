internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferFormat
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

/// The choice whose rights a command uses: an app's or the owner's.
struct ActorOptions: ParsableArguments {
  @Option(
    name: .customLong("app"),
    help: ArgumentHelp(
      "Act as this app, with its credential on this machine: a full application identifier, or a bundle identifier.",
      discussion: """
        Default: the app that COFFER_APP names; otherwise the owner, who reads and writes every group, and whose own group \
        is the one to which `coffer set` writes. With a headless credential (COFFER_CREDENTIAL_FILE), which has no owner: \
        its only app. An empty name (--app "") acts as the owner although COFFER_APP is set.
        """, valueName: "app"), completion: .custom(VaultCompletion.apps))
  var namedApp: String?

  /// The app that the option or the environment names; nil for the owner.
  var app: String? {
    let name = namedApp ?? CurrentProcess.variable("COFFER_APP")
    return name?.isEmpty == true ? nil : name
  }

  @Option(
    help: ArgumentHelp(
      "Why, for the person whom the agent asks (see `coffer unlock`) and for `coffer agent log`.", valueName: "text"))
  var reason: String?

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp(
      "For how long the agent may remember what that person allows: 90s, 10m or 1h, which is the longest. Default: 10m.",
      valueName: "time"),
    transform: { text in
      guard let time = IdleTime(text), time.seconds <= AgentRequest.longestLeaseSeconds else {
        throw ValidationError("use a time from 1 second to 1 hour, such as 90s, 10m or 1h")
      }
      return time
    })
  var leaseTime: IdleTime?

  @OptionGroup var passphrase: PassphraseOptions

  /// The options of a command line that has none of them, or only names an app.
  static func acting(as app: String?) -> ActorOptions {
    var options = ActorOptions()
    options.namedApp = app
    options.reason = nil
    options.leaseTime = nil
    options.passphrase = PassphraseOptions()
    options.passphrase.passphraseFile = nil
    return options
  }

  func validate() throws {
    guard (reason?.unicodeScalars.count ?? 0) <= AgentRequest.reasonLimit else {
      throw ValidationError("--reason takes at most \(AgentRequest.reasonLimit) characters")
    }
  }

  /// Opens the vault with the chosen rights, unlocked. What the command is about to do in an access group is checked
  /// before a passphrase is asked for. In a process tree that denies reads, a vault whose values are to be shown opens
  /// only if a person allows it, in a dialog of the agent or with the passphrase; opened for another purpose, it gives
  /// no values. The state of a headless vault is printed, unless another program reads the errors.
  ///
  /// `passphrase` is the source of an owner's passphrase that was asked for before.
  func open(
    for use: GroupUse, to purpose: KeyPurpose = .show, printsState: Bool = true,
    passphrase known: PassphraseSource? = nil
  ) throws(VaultError) -> Vault {
    if let headless = try HeadlessVault.openNamed() {
      try DeniedReads.check(purpose)
      ((printsState ? [headless.state] : []) + headless.warnings).forEach(Terminal.printError)
      let vault = try headless.vault(ofApp: app)
      try vault.check(use)
      return vault.giving(for: purpose)
    }
    let folder = try VaultFolder(.standard())
    if let app { return try unlocked(Vault.open(applicationNamed: app, in: folder), for: use, to: purpose) }
    if let own = try openOwnGroup(toWrite: use, in: folder, to: purpose) { return own }
    let local = try LocalVault.open(folder)
    if let error = try local.memberError(or: "act as an app with --app APP") {
      // A member has no owner's keys. Its own group is what it has without --app.
      switch use {
      case .reading(nil), .changing(nil): if let own = try openOwnGroup(for: use, to: purpose) { return own }
      default: break
      }
      throw error
    }
    if local.ownerKeyProtection != .passphrase || passphrase.path != nil { try DeniedReads.check(purpose) }
    let agent = agent(to: purpose)
    let source =
      known
      ?? passphrase.source(of: local, note: "owner access\(Self.unlocking(agent))", alternative: "use --app")
    return try Vault.open(asOwnerOf: local, passphrase: source, keeper: agent, for: use).giving(for: purpose)
  }

  private typealias OpenedApp = (vault: Vault, application: ApplicationID, local: LocalVault)

  /// Unlocks the vault of an app. The source is that of the passphrase if it was asked for before.
  private func unlocked(
    _ opened: OpenedApp, for use: GroupUse, to purpose: KeyPurpose, source: PassphraseSource? = nil
  ) throws(VaultError) -> Vault {
    let (vault, application, local) = opened
    try vault.check(use)
    if !vault.isLocked || passphrase.path != nil { try DeniedReads.check(purpose) }
    if vault.isLocked {
      let agent = agent(to: purpose)
      let source =
        source
        ?? passphrase.source(of: local, note: "required by \(application.bundleID)\(Self.unlocking(agent))")
      try vault.unlock(from: source, keeper: agent, for: use)
    }
    return vault.giving(for: purpose)
  }

  /// What a prompt says of the next one. If a group demands an answer, unlocking the agent gives none.
  private static func unlocking(_ agent: AgentKeeper?) -> String {
    agent?.demandsAnswer == true ? "" : "; `coffer unlock` asks once"
  }

  private func agent(to purpose: KeyPurpose) -> AgentKeeper? {
    passphrase.agent(for: purpose, reason: reason, leaseSeconds: leaseTime?.seconds)
  }

  /// Opens the vault as the owner's own app if a command writes and names no group. Creates the vault and registers the
  /// app if they do not exist. Nil for any other command.
  private func openOwnGroup(
    toWrite use: GroupUse, in folder: VaultFolder, to purpose: KeyPurpose
  ) throws(VaultError) -> Vault? {
    guard case .writing(nil) = use else { return nil }
    return try open(.personal, toWriteIn: folder, to: purpose)
  }

  /// Opens the vault as the app of the programs that use the Secret Service, to write to its group. Creates the vault
  /// and registers the app if they do not exist. Nil if another app or a headless credential is named.
  func openDesktopGroupForWriting(
    passphrase source: PassphraseSource? = nil
  ) throws(VaultError) -> Vault? {
    guard isOwner else { return nil }
    return try open(.desktop, toWriteIn: VaultFolder(.standard()), to: .use, source: source)
  }

  private func open(
    _ app: OwnApp, toWriteIn folder: VaultFolder, to purpose: KeyPurpose, source: PassphraseSource? = nil
  ) throws(VaultError) -> Vault? {
    if try PersonalApp.createVaultIfNeeded(at: VaultLocation(folder: folder.url)) {
      folder.printCreationNote()
    }
    var source = source
    var opened = try opened(app, in: folder)
    if opened == nil {
      source = try register(app, in: LocalVault.open(folder), source)
      opened = try self.opened(app, in: folder)
    }
    return try opened.map { (opened) throws(VaultError) in
      try unlocked(opened, for: .writing(nil), to: purpose, source: source)
    }
  }

  /// Opens the vault as one of the owner's own apps, locked if a passphrase protects its keys. Nil if the app is not
  /// registered, or has no credential here.
  private func opened(_ app: OwnApp, in folder: VaultFolder) throws(VaultError) -> OpenedApp? {
    // The usual case: what the app has verified of the log is not verified again.
    if let opened = try? Vault.open(applicationNamed: app.bundleIdentifier, in: folder) { return opened }
    guard let application = try app.installed(in: LocalVault.open(folder)) else { return nil }
    return try Vault.open(applicationNamed: application.description, in: folder)
  }

  /// Returns the source of the passphrase, which has been asked for.
  private func register(
    _ app: OwnApp, in local: LocalVault, _ source: PassphraseSource?
  ) throws(VaultError) -> PassphraseSource {
    if source == nil, passphrase.path == nil, local.ownerKeyProtection == .passphrase, Terminal.canAsk {
      Terminal.printNote(app.creationNote)
    }
    let source =
      source
      ?? passphrase.source(of: local, note: "to create \(app.bundleIdentifier)", alternative: "use --app")
      .rememberingFirst()
    let registration = AppRegistration(local, passphrase: source)
    do {
      try SyncProgram.publication.register(in: local) { (_) throws(VaultError) in
        try app.register(with: registration, in: local)
      }
    } catch let failure as SyncFailure {
      // `coffer-sync` has said why.
      throw VaultError(
        .network,
        "the group \(app.bundleIdentifier) could not be added to the vault (exit code \(failure.exitCode) of the sync)",
        recoverySuggestion: "sync, and try again; or name a group that the vault has, with --group")
    } catch {
      throw VaultError(translating: error)
    }
    return source
  }

  /// Creates the owner's own group in a vault that does not have it, for a command that names other groups too. Returns
  /// the source of the passphrase that was asked for; nil if the group exists, or if an app or a headless credential is
  /// named.
  func registerOwnGroup() throws(VaultError) -> PassphraseSource? {
    guard isOwner else { return nil }
    let local = try LocalVault.open(VaultFolder(.standard()))
    return try OwnApp.personal.installed(in: local) == nil ? register(.personal, in: local, nil) : nil
  }

  /// Opens the vault with the rights of the app whose default group a command without a group means: the chosen app or,
  /// for the owner, the owner's own app; nil if that is not registered.
  func openDefault(for use: GroupUse, to purpose: KeyPurpose) throws(VaultError) -> Vault? {
    guard isOwner else { return try open(for: use, to: purpose) }
    return try openOwnGroup(for: use, to: purpose)
  }

  /// Opens the vault as the owner's own app, as any other app: its keys are sealed if this machine has a passphrase.
  /// Nil if the app does not exist, or if an app or a headless credential is named.
  func openOwnGroup(for use: GroupUse, to purpose: KeyPurpose) throws(VaultError) -> Vault? {
    try open(.personal, for: use, to: purpose)
  }

  /// Opens the vault as one of the owner's own apps. Nil if the app does not exist, or if an app or a headless
  /// credential is named.
  func open(
    _ app: OwnApp, for use: GroupUse, to purpose: KeyPurpose, passphrase source: PassphraseSource? = nil
  ) throws(VaultError) -> Vault? {
    guard isOwner else { return nil }
    return try opened(app, in: VaultFolder(.standard())).map { (opened) throws(VaultError) in
      try unlocked(opened, for: use, to: purpose, source: source)
    }
  }

  /// Whether neither an app nor a headless credential is named.
  var isOwner: Bool {
    app == nil && VaultLocation.headlessCredential() == nil
  }
}

extension Vault {
  /// Lets values leave if they are to be shown, after a person has allowed that where it is denied.
  fileprivate func giving(for purpose: KeyPurpose) -> Vault {
    if purpose == .show { releaseValues() }
    return self
  }
}

extension PassphraseOptions {
  /// The agent of this user, which may have the keys; nil if the user names a file with the passphrase.
  func agent(for purpose: KeyPurpose, reason: String? = nil, leaseSeconds: Int? = nil) -> AgentKeeper? {
    guard path == nil else { return nil }
    return AgentKeeper(
      for: purpose, reason: reason, leaseSeconds: leaseSeconds,
      prompt: .init(canAsk: { Terminal.canAsk }, announce: Terminal.printNote))
  }
}

/// An app that `coffer` registers when something is written to its group for the first time, so that nobody has to
/// prepare a vault.
struct OwnApp: Sendable {
  /// The bundle identifier, and the name of the group without the team.
  let bundleIdentifier: String
  /// What is stored in the group.
  private let contents: String
  private let makeRequest: @Sendable () throws(VaultError) -> AppRegistration.Request

  /// The app of this machine's owner, for what no other app has.
  static let personal = OwnApp(
    bundleIdentifier: PersonalApp.bundleIdentifier,
    contents: "what you store without naming a group or an app"
  ) { () throws(VaultError) in PersonalApp.registration }

  /// The app of the programs that use the Secret Service and that nothing tells apart.
  static let desktop = OwnApp(
    bundleIdentifier: DesktopProgram.other.bundleID?.description ?? "",
    contents: "what the programs of your desktop store"
  ) { () throws(VaultError) in try AppRegistration.Request(of: .other) }

  /// What is said before the passphrase is asked for, with which the group is created.
  var creationNote: String {
    """
    The access group \(bundleIdentifier) is created now, for \(contents): the passphrase opens the owner's keys, \
    which sign that. Ctrl-C stores nothing and creates no group; --group names another one.
    """
  }

  private func identifier(in membership: Membership) -> ApplicationID? {
    BundleID(bundleIdentifier).map { ApplicationID(team: membership.team, bundleID: $0) }
  }

  /// Returns the full identifier if the app is registered and has its credential on this machine; nil otherwise.
  func installed(in local: LocalVault) throws(VaultError) -> ApplicationID? {
    let membership = try local.publishedMembership()
    guard let application = identifier(in: membership), membership.apps[application] != nil,
      local.folder.credentialFile(of: application).exists
    else { return nil }
    return application
  }

  /// Registers the app, or gives it a credential if it is registered. Returns what is published with it.
  func register(
    with registration: AppRegistration, in local: LocalVault
  ) throws(VaultError) -> (credentials: [PendingCredential], position: LogPosition?) {
    let membership = try local.publishedMembership()
    let request = try makeRequest()
    // Its owner may have registered it with another plist, which stays.
    if let application = identifier(in: membership), let app = membership.apps[application], !request.isPlist(of: app) {
      let installation = try registration.install(application)
      return ([installation.credential], installation.position)
    }
    let outcome = try registration.register(request)
    return (outcome.credentials, outcome.position)
  }
}
