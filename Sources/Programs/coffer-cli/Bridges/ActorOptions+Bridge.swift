internal import Coffer
internal import CofferAgent
internal import CofferVault

extension ActorOptions {
  /// Opens the vault for another program that asks for a password: with the owner's own group only, if no group is named and
  /// that needs no passphrase. The value goes to that program, also in a process tree that denies reads.
  func openForBridge(for use: GroupUse, group: String?) throws(VaultError) -> Vault {
    if group == nil, let own = try openPersonalWithoutPassphrase(to: .use) { return own }
    return try open(for: use, to: .use)
  }
}
