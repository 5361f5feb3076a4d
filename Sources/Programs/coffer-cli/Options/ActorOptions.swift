internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferTrust
internal import CofferVault

/// The choice whose rights a command uses: an app's or the owner's.
struct ActorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Act as this app, with its credential on this machine: a full application identifier, or a bundle identifier.",
      discussion: """
        Default: act as the owner, who reads and writes every group. With a headless credential (COFFER_CREDENTIAL_FILE), \
        which has no owner: its only app.
        """, valueName: "app"))
  var app: String?

  @OptionGroup var passphrase: PassphraseOptions

  /// Opens the vault with the chosen rights, and unlocks it. What the command is about to do is checked before a
  /// passphrase is asked for.
  func open(for use: GroupUse) throws(VaultError) -> Vault {
    if let headless = try HeadlessVault.openNamed() {
      ([headless.state] + headless.warnings).forEach(Terminal.printError)
      let vault = try headless.vault(ofApp: app)
      try vault.check(use)
      return vault
    }
    let folder = try VaultFolder(.standard())
    guard let app else {
      let local = try LocalVault.open(folder)
      if let error = try local.memberError(or: "act as an app with --app APP") { throw error }
      let source = passphrase.source(of: local, note: "owner access; --app avoids it", alternative: "use --app")
      return try Vault.open(asOwnerOf: local, passphrase: source, for: use)
    }
    let (vault, application, local) = try Vault.open(applicationNamed: app, in: folder)
    try vault.check(use)
    if vault.isLocked {
      try vault.unlock(from: passphrase.source(of: local, note: "required by \(application.bundleID)"))
    }
    return vault
  }
}
