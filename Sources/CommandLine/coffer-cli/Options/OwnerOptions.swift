internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferTerminal
internal import CofferVault

/// The rights of this machine's owner, for commands that no app may use.
struct OwnerOptions: ParsableArguments {
  @OptionGroup var passphrase: PassphraseOptions

  /// Opens the vault as the owner.
  func open() throws(VaultError) -> Vault {
    let local = try LocalVault.open(VaultFolder(.standard()))
    return try Vault.open(
      asOwnerOf: local, passphrase: passphrase.source(of: local), keeper: passphrase.agent(for: .use))
  }
}
