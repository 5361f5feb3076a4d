internal import CofferCrypto
package import CofferFormat
internal import CofferKeys
internal import CofferPlatform
internal import CofferTrust
package import CofferVault

/// The vault key of a vault that an app has created when nobody could write it down. It is kept on that machine, sealed
/// to its admin's keys, until it is shown once.
package enum KeptVaultKey {
  /// Seals a vault key to the admin's keys, and writes it. A passphrase that is set later then protects it, too.
  static func write(_ key: VaultKey, to folder: VaultFolder, for admin: PartyKeys) throws(VaultError) {
    var box = try translatingErrors { try admin.publicKeys.box.seal(key.secret) }
    try folder.vaultKeyFile.write(wiping: &box)
  }

  /// Returns the vault key.
  ///
  /// - Parameters:
  ///   - local: The vault.
  ///   - source: The source of the machine's passphrase, if it has one.
  /// - Returns: The key. It opens the vault.
  /// - Throws: ``VaultError``: `itemNotFound` if this machine does not keep it; `authenticationFailed` if it was
  ///   replaced, or for a wrong passphrase; `integrity` if the file does not open.
  package static func read(in local: LocalVault, passphrase source: PassphraseSource) throws(VaultError) -> VaultKey {
    guard local.keepsVaultKey else {
      throw VaultError(
        .itemNotFound, "this machine does not keep the vault key",
        recoverySuggestion: "use the key that was written down; with it, a new one is made by: coffer vault-key rotate")
    }
    let admin = try AdminKeys.open(local, in: local.membership(), passphrase: source)
    let secret = try local.folder.vaultKeyFile.read { box in
      do throws(CryptoError) {
        return try admin.agreement.open(box)
      } catch {
        throw VaultError(
          .integrity, "the vault key at \(local.folder.vaultKeyFile.path) does not open with this machine's admin keys",
          recoverySuggestion: "restore the file from a backup, together with the file \"admin\" beside it")
      }
    }
    guard let key = VaultKey(restoring: secret) else {
      throw VaultError(
        .integrity, "the file \(local.folder.vaultKeyFile.path) does not contain a vault key",
        recoverySuggestion: "restore the file from a backup")
    }
    _ = try VaultKeyCheck.begin(in: local).root(openedBy: key)
    return key
  }

  /// Deletes the key from this machine, after its owner has it.
  package static func forget(in local: LocalVault) throws(VaultError) {
    let file = local.folder.vaultKeyFile
    guard unsafe unlink(file.path) == 0 || errno == ENOENT else { throw systemFailure("delete \(file.path)") }
    try SecretFile.syncFolder(local.folder.path)
  }
}

extension LocalVault {
  /// Whether this machine keeps the vault key, because nobody has written it down yet.
  package var keepsVaultKey: Bool { keysInMemory == nil && folder.vaultKeyFile.exists }
}
