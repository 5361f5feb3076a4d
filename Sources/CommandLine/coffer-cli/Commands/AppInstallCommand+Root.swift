internal import Coffer
internal import CofferAdministration
internal import CofferCrypto
internal import CofferFormat
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

extension AppInstallCommand {
  /// Installs the program, and gives a user a credential of it. Root makes the keys, and the user's process signs the public
  /// ones: so no process of the user ever has the secret ones, and root never has the owner's.
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
    ["app", "install", app, "--asks-root"] + more + (claims.despiteClaims ? ["--despite-claims"] : [])
      + (passphrase.path.map { ["--passphrase-file", $0] } ?? [])
  }

  /// As the user: throws `notEntitled` if the app is not registered, and no package has installed a plist by which it can
  /// be, or if no keys that root keeps can be enrolled on this machine. Changes nothing.
  func lookUp() throws {
    let folder = try VaultFolder(.standard())
    let packaged = try PackagedApp.find(InstallationOptions.bundleID(of: app))
    if let packaged, folder.isAbsent { return try packaged.check() }
    let local = try LocalVault.open(folder)
    try InstalledKeyEnrolment.checkOwner(of: local)
    // Another machine may have registered it a moment ago.
    if (try? local.application(named: app)) == nil, try local.remote() != nil { try SyncProgram.sync(local.folder) }
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
    try SyncProgram.withRegistration(in: local) { (_) throws(VaultError) in
      // Another machine may have registered it a moment ago.
      guard (try? local.application(named: app)) == nil else { return ([], nil) }
      return ([], try packaged.register(with: registration, in: local))
    }
  }

  /// As the user: enrols keys that root's process has made, and prints what that needs for the credential.
  func enrol(_ hexadecimal: String, _ local: LocalVault, _ source: PassphraseSource) throws {
    guard let keys = PartyPublicKeys(hexadecimal: hexadecimal) else { return }
    let enrolment = InstalledKeyEnrolment(
      of: keys, in: local, passphrase: source, despiteClaims: claims.despiteClaims)
    var application: ApplicationID?
    try SyncProgram.withMembershipChange(local) { (attempt) throws(VaultError) in
      // Looked up after the fetch: another machine may have registered the app a moment ago.
      let found = try local.application(named: app)
      application = found
      return try enrolment.run(found, despiteNewRecords: attempt > 1)
    } install: { () throws(VaultError) in
      if let application { try enrolment.removeFile(of: application) }
    }
    if let application { try Output.json(enrolment.receipt(of: application)) }
  }
}
