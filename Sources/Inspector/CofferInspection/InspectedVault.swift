package import Coffer
package import CofferVault

/// A vault that a person looks at. All calls block while they read or write; call them on threads that may.
package final class InspectedVault: Sendable {
  package let vault: Vault
  package let local: LocalVault
  let index: ItemIndex
  let deletions = UndoableDeletions()
  let comparison = StoreComparison()
  let replacementCount = ReplacementCount()

  package init(vault: Vault, local: LocalVault) {
    self.vault = vault
    self.local = local
    index = ItemIndex(vault)
  }

  /// Locks the vault, and overwrites what searches keep in memory.
  package func lock() {
    vault.lock()
    index.wipe()
    deletions.removeAll()
  }
}
