package import CofferCrypto
package import CofferFormat
internal import CofferStore
internal import CofferSystem
package import CofferTrust
package import CofferVault

/// Checks vault keys against the slots of this machine: the present root's, and those of earlier roots, whose vault keys
/// were replaced.
package struct VaultKeyCheck: Sendable {
  private let slot: RootSlot
  private let former: [(slot: RootSlot, succession: Succession)]

  /// The number of the vault key: 1 for the vault's first key, one more after each change of it.
  package var number: UInt32 { slot.generation }

  /// Reads the slots. A membership log that cannot be folded does not prevent the check: the slot with the greatest number
  /// counts then.
  package static func begin(in folder: VaultFolder) throws(VaultError) -> VaultKeyCheck {
    let pinned = try PinnedStore.open(in: folder)
    let local: LocalVault?
    do throws(VaultError) {
      local = try LocalVault.open(folder)
    } catch {
      guard error.code == .integrity else { throw error }
      local = nil
    }
    if let local { return try begin(in: local) }
    let slots = try translatingErrors {
      try pinned.store.read { reader in
        [try? RootSlot.first(bytes: reader.rootSlot(), of: pinned.genesis)]
          + (try reader.objects(.rootSlot).map { slot in
            try reader.object(slot.key).flatMap { try? RootSlot(bytes: $0, of: pinned.genesis) }
          })
      }
    }
    guard let newest = slots.compactMap({ $0 }).max(by: { $0.generation < $1.generation }) else {
      throw damaged(folder)
    }
    return VaultKeyCheck(slot: newest, former: [])
  }

  /// Reads the slots that the log names. Throws `integrity` if the slot of the present root is missing or damaged.
  package static func begin(in local: LocalVault) throws(VaultError) -> VaultKeyCheck {
    let slots = try translatingErrors {
      try local.store.read { try RootSlots.read(from: $0, in: local.membership(in: $0)) }
    }
    guard let current = slots.current else { throw damaged(local.folder) }
    return VaultKeyCheck(slot: current, former: slots.former)
  }

  private static func damaged(_ folder: VaultFolder) -> VaultError {
    VaultError(
      .integrity, "the root slot at \(folder.storePath) is missing or damaged, so no vault key can be checked here",
      recoverySuggestion: "restore it from the remote with: coffer check --repair && coffer sync")
  }

  /// Opens root's keys. Throws `authenticationFailed` for the key of another vault, and for one that was replaced.
  package func root(openedBy vaultKey: VaultKey) throws(VaultError) -> PartyKeys {
    do throws(CryptoError) {
      return try slot.open(with: vaultKey)
    } catch {
      guard error == .authenticationFailed else { throw VaultError(error) }
    }
    for entry in former.reversed() where (try? entry.slot.open(with: vaultKey)) != nil {
      throw VaultError.replacedVaultKey(entry.succession)
    }
    throw VaultError.otherVaultKey
  }
}

extension VaultError {
  /// The error for the vault key of another vault.
  package static let otherVaultKey = VaultError(
    .authenticationFailed, "this vault key does not open this vault",
    recoverySuggestion: "use the key that `coffer init` printed for this very vault, or the one that replaced it last")

  /// The error for a vault key that was replaced by another one.
  package static func replacedVaultKey(_ succession: Succession) -> VaultError {
    VaultError(
      .authenticationFailed,
      "this vault key was replaced on \(succession.time.date.localText) (entry \(succession.position.sequence) of the log)",
      recoverySuggestion: "use the key that `coffer vault-key rotate` showed then")
  }
}
