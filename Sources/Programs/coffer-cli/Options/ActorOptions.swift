internal import ArgumentParser
internal import Coffer
internal import CofferVault

/// The choice whose rights a command uses: an app's or the owner's.
struct ActorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Act as this app, with its credential on this machine: a full application identifier, or a bundle identifier.",
      discussion: "Default: act as the owner, who reads and writes every group.", valueName: "app"))
  var app: String?

  @OptionGroup var passphrase: PassphraseOptions

  /// Opens the vault with the chosen rights.
  func open() throws(VaultError) -> Vault {
    let local = try LocalVault.open(VaultFolder(.standard()))
    guard let app else { return try Vault.open(asOwnerOf: local, passphrase: passphrase.source) }
    let application = try local.application(named: app)
    let vault = try Vault.open(application: application, local: local)
    if vault.isLocked { try vault.unlock(from: passphrase.source) }
    return vault
  }
}
