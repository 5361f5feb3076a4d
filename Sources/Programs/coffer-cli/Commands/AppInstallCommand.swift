internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferVault
internal import CofferTrust

struct AppInstallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "install", abstract: "Give a registered app a credential on this machine.",
    discussion: "For an app that another machine registered after this one was cloned, or whose credential was lost.")
  @Argument(help: "A full application identifier, or a bundle identifier.")
  var app: String
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var claims: ClaimOptions

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    let registration = AppRegistration(
      local, passphrase: passphrase.source(of: local).rememberingFirst(), despiteClaims: claims.despiteClaims)
    var application: ApplicationID?
    var credential: PendingCredential?
    try SyncProgram.withMembershipChange(local) { (_) throws(VaultError) in
      // Looked up after the fetch: another machine may have registered the app a moment ago.
      let found = try local.application(named: app)
      application = found
      let installed = try registration.install(found)
      credential = installed.credential
      return installed.position
    } install: { () throws(VaultError) in
      try credential?.install(in: local)
    }
    try Output.line("\(application?.description ?? app) has a credential on this machine.")
  }
}
