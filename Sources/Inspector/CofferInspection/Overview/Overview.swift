internal import Coffer
package import CofferAdministration
internal import CofferVault
package import CofferFormat

/// The first look at a vault: what it contains, how it is synced, and what needs attention.
package struct Overview: Sendable {
  /// An access group and its items.
  package struct Group: Hashable, Sendable {
    /// The full name.
    package let id: String
    /// The name without the vault's team.
    package let name: String
    /// The number of items of each class that has any.
    package let items: [ItemClass: Int]
    package let conflictCount: Int

    package var itemCount: Int { items.values.reduce(0, +) }
  }

  /// Machines, apps, log, remote and sync.
  package let status: VaultStatus
  package let groups: [Group]
  /// The most urgent first.
  package let attention: [Attention]

  package var itemCount: Int { groups.reduce(0) { $0 + $1.itemCount } }
}
