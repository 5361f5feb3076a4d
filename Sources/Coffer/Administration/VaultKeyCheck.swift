package import CofferCrypto
package import CofferFormat
internal import CofferStore
package import CofferVault

/// Checks vault keys against the newest root slot that this machine has.
package struct VaultKeyCheck: Sendable {
  private let slot: RootSlot

  /// The number of the slot: 1 for the vault's first key, greater after each change of it.
  package var revision: UInt32 { slot.generation }

  /// Reads the root slot. The membership log is not read, so that a damaged one does not prevent the check.
  ///
  /// - Parameter folder: The vault's folder.
  /// - Returns: The check.
  /// - Throws: ``VaultError``: `noVault`; `integrity` if the store belongs to another vault, or the slot is damaged.
  package static func begin(in folder: VaultFolder) throws(VaultError) -> VaultKeyCheck {
    let pinned = try PinnedStore.open(in: folder)
    let bytes = try translatingErrors { try pinned.store.read { try $0.rootSlot() } }
    do throws(FormatError) {
      return VaultKeyCheck(slot: try RootSlot.first(bytes: bytes, of: pinned.genesis))
    } catch {
      guard error.code != .unsupportedVersion else { throw VaultError(error) }
      throw VaultError(
        .integrity, "the root slot at \(folder.storePath) is damaged, so no vault key can be checked here",
        recoverySuggestion: "restore it from the remote with: coffer check --repair && coffer sync")
    }
  }

  /// Opens root's keys.
  ///
  /// - Parameter vaultKey: The vault key.
  /// - Returns: Root's keys.
  /// - Throws: ``VaultError``: `authenticationFailed` for the key of another vault, and for one that was replaced.
  package func root(openedBy vaultKey: VaultKey) throws(VaultError) -> PartyKeys {
    do throws(CryptoError) {
      return try slot.open(with: vaultKey)
    } catch {
      throw error == .authenticationFailed ? VaultError.otherVaultKey : VaultError(error)
    }
  }
}
