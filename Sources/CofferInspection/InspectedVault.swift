package import Coffer
package import CofferVault

/// A vault that a person looks at.
package final class InspectedVault: Sendable {
  package let vault: Vault
  package let local: LocalVault

  package init(vault: Vault, local: LocalVault) {
    self.vault = vault
    self.local = local
  }
}
