package import CofferCrypto
internal import CofferTrust
package import CofferVault

extension Vault {
  /// Opens a vault with root's keys, only to read it: before this machine is enrolled, nobody else on it can.
  package static func open(asRootOf local: LocalVault, keys: PartyKeys) throws(VaultError) -> Vault {
    let membership = try local.settledMembership()
    let author = Author.root(of: membership)
    let vault = Vault(local: local, id: membership.vault, author: author) { (_) throws(VaultError) in
      throw Self.lockedError("the holder of the vault key")
    }
    vault.unlock(with: HeldKeys(keys, of: author.id))
    return vault
  }
}
