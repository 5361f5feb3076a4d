package import CofferVault

extension Vault {
  /// Whether the vault is in no folder: made in memory, or read from a repository with a headless credential.
  package var isInMemory: Bool { local.keysInMemory != nil }

  /// The vault's folder.
  package var folder: VaultFolder { local.folder }
}
