internal import Coffer
internal import CofferVault

extension ActorOptions {
  /// Opens the vault for another program that asks for a password: with the owner's own group only, if no group is named and
  /// that needs no passphrase.
  func openForBridge(for use: GroupUse, group: String?) throws(VaultError) -> Vault {
    if group == nil, let own = try openPersonalWithoutPassphrase() { return own }
    return try open(for: use)
  }
}
