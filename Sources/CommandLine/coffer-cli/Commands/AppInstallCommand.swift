internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

struct AppInstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install", abstract: "Give an app a credential on this machine, or keys on another one.",
    discussion: """
      For an app that another machine registered after this one was cloned, or whose credential was lost.

      A member has no keys to give. An admin gives it an app with --on, which seals keys to that machine; there, this \
      command without --on then makes them the app's credential.

      With sudo and --setgid, no other program of the user can read the app's keys: root gives the program a group of its \
      own, makes the keys, and puts them into a folder that only the group can enter. The owner signs the public ones, with \
      the passphrase. For another user of the machine, repeat it without --setgid. With sudo and --user, the app is a service \
      with an account and a vault of its own.

      If the app's package has installed its plist, the command with sudo also registers the app, and creates the user's vault \
      under a new passphrase if there is none. After the installation of such a package, this is all:

      sudo coffer app install com.example.app
      """)
  @Argument(help: "A full application identifier, or a bundle identifier.")
  var app: String
  @Option(help: ArgumentHelp("Give the app to this machine, see: coffer device list", valueName: "name"))
  var on: String?
  @OptionGroup var installation: InstallationOptions
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var claims: ClaimOptions

  func validate() throws { try installation.validate(with: on) }

  func run() throws {
    if installation.isForRoot(app) { return try installAsRoot() }
    // Before anything is started that would have the connection.
    let asker = installation.asksRoot ? try PassphraseQuestion.asker() : nil
    if installation.looksUp { return try lookUp() }
    let created = try asker.flatMap { (asker) throws(VaultError) in try createVaultOfPackagedApp(asking: asker) }
    let local = try LocalVault.open(VaultFolder(.standard()))
    let asked = passphrase.path == nil ? asker?.source : nil
    let source = created ?? (asked ?? passphrase.source(of: local)).rememberingFirst()
    if asker != nil { try registerPackagedApp(in: local, source) }
    if let on {
      // A machine that has joined a moment ago comes with a sync.
      if (try? local.memberMachine(named: on)) == nil, try local.remote() != nil {
        try SyncProgram.publication.sync(local.folder)
      }
      let machine = try local.memberMachine(named: on)
      if try !local.isThisMachine(machine) { return try give(to: machine, named: on, local, source) }
    }
    if let keys = installation.publicKeys { return try enrol(keys, local, source) }
    if try AppDelivery.isNeeded(on: local) {
      try take(local, source)
    } else {
      try install(local, source)
    }
    if installation.printsReceipt {
      return try Output.json(InstallationReceipt.read(of: local.application(named: app), in: local))
    }
    try Output.line("\(try local.application(named: app)) has a credential on this machine.")
  }

  /// Makes the app's keys here.
  private func install(_ local: LocalVault, _ source: PassphraseSource) throws {
    let registration = registration(local, source)
    try SyncProgram.publication.register(in: local) { (_) throws(VaultError) in
      // Looked up after the fetch: another machine may have registered the app a moment ago.
      let installed = try registration.install(local.application(named: app))
      return ([installed.credential], installed.position)
    }
  }

  func registration(_ local: LocalVault, _ source: PassphraseSource) -> AppRegistration {
    AppRegistration(
      local, passphrase: source, allowingLogFork: claims.allowsLogFork, hasOwnAccount: installation.ownAccount)
  }

  /// Gives the app keys on another machine.
  private func give(
    to machine: DeviceID, named name: String, _ local: LocalVault, _ source: PassphraseSource
  ) throws {
    let registration = registration(local, source)
    var application: ApplicationID?
    var isNew = false
    try SyncProgram.publication.change(local) { (_) throws(VaultError) in
      let found = try local.application(named: app)
      application = found
      let given = try registration.deliver(found, to: machine)
      isNew = given.isNew
      return given.position
    }
    let name = Output.cell(name)
    try Output.line(
      "\(application?.description ?? app) \(isNew ? "is given" : "was already given") to \(name).")
    Terminal.printNote(
      "To use it there, run on \(name): coffer app install \(application?.bundleID.description ?? app)")
  }

  /// Takes the keys that an admin has given to this machine.
  private func take(_ local: LocalVault, _ source: PassphraseSource) throws {
    let delivery = AppDelivery(to: local, passphrase: source, hasOwnAccount: installation.ownAccount)
    let isKnown = try? delivery.isThere(local.application(named: app))
    // What is here needs no network.
    if isKnown != true, try local.remote() != nil { try SyncProgram.publication.sync(local.folder) }
    let application = try local.application(named: app)
    try delivery.install(application)
  }
}

extension AppInstallCommand {
  /// Installs the program, and gives a user a credential of it. Root makes the keys, and the user's process signs the
  /// public ones: so no process of the user ever has the secret ones, and root never has the owner's.
  func installAsRoot() throws {
    let installation = try AppInstallation(of: InstallationOptions.bundleID(of: app))
    if let account = self.installation.user {
      return try install(in: InstallationOptions.user(named: account), installation)
    }
    let user = self.installation.programOnly ? nil : try InstallationOptions.user(named: self.installation.owner)
    let path = self.installation.setgid
    guard let user else {
      // Only with a program.
      if let path { try show(installation.installProgram(at: path)) }
      return Terminal.printNote(
        "each user gets a credential of it with: sudo coffer app install \(installation.app.bundleID)")
    }
    if let path {
      // Nobody types a passphrase for what cannot be installed, and nothing is changed before the user has signed.
      try installation.checkProgram(at: path)
      _ = try UserProcess.run(as: user, arguments(adding: ["--looks-up"]))
    }
    let program = try installation.giveCredential(to: user, installing: path) { (keys) throws(VaultError) in
      try UserProcess.run(as: user, arguments(adding: ["--public-keys", keys]))
    }
    if path != nil { try show(program) }
    try Output.line("\(installation.app.bundleID) has a credential of \(user.name) that only this program can read.")
  }

  private func show(_ program: InstalledApp.Program) throws {
    try Output.line("\(program.file.path) runs with the group \(program.group).")
  }

  /// Gives the app a credential in the vault of an account that only the app uses.
  private func install(in account: SystemUser, _ installation: AppInstallation) throws {
    try installation.check(account: account)
    let receipt = try UserProcess.run(as: account, arguments(adding: ["--own-account", "--prints-receipt"]))
    try installation.record(account: account, receipt: receipt)
    try Output.line(
      "\(installation.app.bundleID) has a credential in the vault of \(account.name), which only it uses.")
  }

  private func arguments(adding more: [String]) -> [String] {
    ["app", "install", app, "--asks-root"] + more + (claims.allowsLogFork ? ["--despite-claims"] : [])
      + (passphrase.path.map { ["--passphrase-file", $0] } ?? [])
  }

  /// As the user: throws `notEntitled` if the app is not registered, and no package has installed a plist by which it
  /// can be, or if no keys that root keeps can be enrolled on this machine. Changes nothing.
  func lookUp() throws {
    let folder = try VaultFolder(.standard())
    let packaged = try PackagedApp.find(InstallationOptions.bundleID(of: app))
    if let packaged, folder.isAbsent { return try packaged.check() }
    let local = try LocalVault.open(folder)
    try InstalledKeyEnrolment.checkOwner(of: local)
    // Another machine may have registered it a moment ago.
    if (try? local.application(named: app)) == nil, try local.remote() != nil {
      try SyncProgram.publication.sync(local.folder)
    }
    if let packaged, (try? local.application(named: app)) == nil { return try packaged.check(in: local) }
    try InstalledKeyEnrolment.check(local.application(named: app), in: local)
  }

  /// As the user: creates the vault if there is none, for an app whose package has installed its plist. Returns the
  /// source of its passphrase, which a person or a file has given; nil if no vault was created.
  func createVaultOfPackagedApp(asking asker: PassphraseQuestion.Asker) throws(VaultError) -> PassphraseSource? {
    let folder = try VaultFolder(.standard())
    guard folder.isAbsent, let packaged = try PackagedApp.find(InstallationOptions.bundleID(of: app)) else {
      return nil
    }
    try packaged.check()
    let new =
      if let path = passphrase.path {
        try NewPassphrase.read(path, ifEmpty: "the owner's keys need one", otherwise: "")
      } else {
        try asker.newPassphrase()
      }
    try VaultCreation.create(
      at: VaultLocation(folder: folder.url), deviceName: VaultCreation.defaultDeviceName, protection: .passphrase(new),
      handOver: nil)
    folder.printCreationNote()
    return PassphraseSource { (_) throws(VaultError) in new }
  }

  /// As the user: registers the app if it is not, by the plist that its package has installed.
  func registerPackagedApp(in local: LocalVault, _ source: PassphraseSource) throws {
    guard (try? local.application(named: app)) == nil,
      let packaged = try PackagedApp.find(InstallationOptions.bundleID(of: app))
    else { return }
    // Before anything is changed.
    try InstalledKeyEnrolment.checkOwner(of: local)
    let registration = registration(local, source)
    try SyncProgram.publication.register(in: local) { (_) throws(VaultError) in
      // Another machine may have registered it a moment ago.
      guard (try? local.application(named: app)) == nil else { return ([], nil) }
      return ([], try packaged.register(with: registration, in: local))
    }
  }

  /// As the user: enrols keys that root's process has made, and prints what that needs for the credential.
  func enrol(_ hexadecimal: String, _ local: LocalVault, _ source: PassphraseSource) throws {
    guard let keys = PartyPublicKeys(hexadecimal: hexadecimal) else { return }
    let enrolment = InstalledKeyEnrolment(
      of: keys, by: MembershipChange(in: local, allowingLogFork: claims.allowsLogFork))
    var application: ApplicationID?
    try SyncProgram.publication.change(local) { (attempt) throws(VaultError) in
      // Looked up after the fetch: another machine may have registered the app a moment ago.
      let found = try local.application(named: app)
      application = found
      return try enrolment.run(found, passphrase: source, despiteNewRecords: attempt > 1)
    } install: { () throws(VaultError) in
      if let application { try enrolment.removeFile(of: application) }
    }
    if let application { try Output.json(enrolment.receipt(of: application)) }
  }
}

/// How an app is kept apart from other programs of its user.
struct InstallationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "As root: make this program, and no other of the user, able to read the app's keys.", valueName: "program"),
    completion: .file())
  var setgid: String?
  @Option(
    help: ArgumentHelp(
      "As root: give the app a credential in the vault of this account, which no person and no other app uses.",
      valueName: "account"))
  var user: String?
  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("As root: the user who gets a credential. Default: who has run sudo.", valueName: "user"))
  var owner: String?
  @Flag(help: "As root: install the program only, and give nobody a credential, as a package does.")
  var programOnly = false
  @Flag(help: "Only the app uses the account of the vault. With --on, of the vault on that machine.")
  var ownAccount = false
  /// What root's process asks of the user's: to enrol these keys.
  @Option(help: .hidden)
  var publicKeys: String?
  @Flag(help: .hidden)
  var printsReceipt = false
  /// What root's process asks of the user's before it changes anything: whether the app is registered.
  @Flag(help: .hidden)
  var looksUp = false
  /// Whether root's process has started this one, and answers ``PassphraseQuestion``.
  @Flag(help: .hidden)
  var asksRoot = false

  func validate(with on: String?) throws {
    guard [on, user, setgid ?? owner ?? (programOnly ? "" : nil)].compactMap(\.self).count <= 1 else {
      throw ValidationError("give only one of --on, --user and --setgid")
    }
    guard !programOnly || setgid != nil && owner == nil else {
      throw ValidationError("--program-only is for --setgid, without --for.")
    }
    guard publicKeys.map({ PartyPublicKeys(hexadecimal: $0) != nil }) ?? true else {
      throw ValidationError("--public-keys is malformed.")
    }
  }

  /// Whether root installs the app: if an option says so, or if a user has run this with sudo for an app that a package
  /// has installed.
  func isForRoot(_ app: String) -> Bool {
    if setgid != nil || user != nil || owner != nil { return true }
    guard geteuid() == 0, Self.sudoUser != nil, let id = try? Self.bundleID(of: app) else { return false }
    return InstalledApp(id).program != nil || (try? PackagedApp.find(id)) != nil
  }

  /// The number of the user who has run sudo.
  static var sudoUser: String? { CurrentProcess.variable("SUDO_UID").flatMap { $0.isEmpty ? nil : $0 } }

  /// Returns the bundle identifier in the name of an app.
  static func bundleID(of app: String) throws(VaultError) -> BundleID {
    guard let id = ApplicationID(app)?.bundleID ?? BundleID(app) else {
      throw VaultError(
        .invalidArgument, "\(app.sanitizedForTerminal()) is not an application identifier",
        recoverySuggestion: "a bundle identifier has \(BundleID.form)")
    }
    return id
  }

  /// Returns the user who gets or has a credential.
  static func user(named name: String?) throws(VaultError) -> SystemUser {
    guard let name = name ?? sudoUser else {
      throw VaultError(
        .invalidArgument, "it is not known which user this is for", recoverySuggestion: "name the user with --for USER")
    }
    let user = try SystemUser.find(name)
    guard user.id != 0 else {
      throw VaultError(
        .invalidArgument, "root reads everything, so nothing keeps an app's keys from other programs of root",
        recoverySuggestion: "name another user with --for USER")
    }
    return user
  }
}
