internal import Coffer
internal import CofferAgent
internal import CofferCrypto
internal import CofferInspection
internal import CofferVault

/// How the inspector opens the vault: with whose rights, and again after a lock.
struct VaultOpening: Sendable {
  let folder: VaultFolder
  /// The app whose rights the pages have; nil for the owner.
  let app: String?

  /// Opens the vault and unlocks it. The source is not asked if no passphrase is needed, or if the keeper has the keys.
  func open(
    _ passphrase: PassphraseSource, keeper: (any KeyKeeper)? = nil
  ) throws(VaultError) -> InspectedVault {
    guard let app else {
      let local = try LocalVault.open(folder)
      if let error = try local.memberError(or: "see what an app sees with --app APP") { throw error }
      let vault = try Vault.open(asOwnerOf: local, passphrase: passphrase, keeper: keeper)
      return InspectedVault(vault: vault, local: local)
    }
    let (vault, _, local) = try Vault.open(applicationNamed: app, in: folder)
    if vault.isLocked { try vault.unlock(from: passphrase, keeper: keeper) }
    return InspectedVault(vault: vault, local: local)
  }

  /// Opens the vault if that needs no passphrase. Returns nil if one is needed.
  func openWithoutPassphrase() throws(VaultError) -> InspectedVault? {
    do throws(VaultError) {
      return try open(.unavailable)
    } catch {
      guard error.code == .locked else { throw error }
      return nil
    }
  }
}
