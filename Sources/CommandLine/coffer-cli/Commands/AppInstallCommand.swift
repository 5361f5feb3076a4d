internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
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
      if (try? local.memberMachine(named: on)) == nil, try local.remote() != nil { try SyncProgram.sync(local.folder) }
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
    try SyncProgram.withRegistration(in: local) { (_) throws(VaultError) in
      // Looked up after the fetch: another machine may have registered the app a moment ago.
      let installed = try registration.install(local.application(named: app))
      return ([installed.credential], installed.position)
    }
  }

  func registration(_ local: LocalVault, _ source: PassphraseSource) -> AppRegistration {
    AppRegistration(
      local, passphrase: source, despiteClaims: claims.despiteClaims, hasOwnAccount: installation.ownAccount)
  }

  /// Gives the app keys on another machine.
  private func give(
    to machine: DeviceID, named name: String, _ local: LocalVault, _ source: PassphraseSource
  ) throws {
    let registration = registration(local, source)
    var application: ApplicationID?
    var isNew = false
    try SyncProgram.withMembershipChange(local) { (_) throws(VaultError) in
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
    if isKnown != true, try local.remote() != nil { try SyncProgram.sync(local.folder) }
    let application = try local.application(named: app)
    try delivery.install(application)
  }
}
