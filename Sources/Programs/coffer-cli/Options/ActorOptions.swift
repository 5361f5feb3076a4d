internal import ArgumentParser
internal import Coffer
internal import CofferAgent
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

  @Option(
    help: ArgumentHelp(
      "Why, for the person whom the agent asks (see `coffer unlock`) and for `coffer agent log`.", valueName: "text"))
  var reason: String?

  @OptionGroup var passphrase: PassphraseOptions

  func validate() throws {
    guard (reason?.unicodeScalars.count ?? 0) <= AgentRequest.reasonLimit else {
      throw ValidationError("--reason takes at most \(AgentRequest.reasonLimit) characters")
    }
  }

  /// Opens the vault with the chosen rights.
  ///
  /// - Parameter use: What the command is about to do in an access group. It is checked before a passphrase is asked for.
  /// - Returns: The vault, unlocked.
  /// - Throws: ``VaultError``: the errors of opening and unlocking, and those of `use`.
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
      return try Vault.open(
        asOwnerOf: local, passphrase: source, keeper: passphrase.agent(for: reason), for: use)
    }
    let (vault, application, local) = try Vault.open(applicationNamed: app, in: folder)
    try vault.check(use)
    if vault.isLocked {
      let source = passphrase.source(of: local, note: "required by \(application.bundleID)")
      try vault.unlock(from: source, keeper: passphrase.agent(for: reason), for: use)
    }
    return vault
  }
}

extension PassphraseOptions {
  /// The agent of this user, which may have the keys; nil if the user names a file with the passphrase.
  func agent(for reason: String? = nil) -> AgentKeeper? {
    guard path == nil else { return nil }
    return AgentKeeper(reason: reason, canAsk: { Terminal.canAsk }, announce: Terminal.printNote)
  }
}
