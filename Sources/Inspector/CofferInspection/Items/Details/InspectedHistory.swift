package import Coffer
package import CofferVault

/// The versions of an item, newest first.
package struct InspectedHistory: Sendable {
  package let versions: [ItemVersionRow]
  /// The item's title in its newest version with attributes, as lists show it; nil if none is kept.
  package let title: String?
  /// What a restore must name.
  package let revision: ItemRevision?
  /// Errors of damaged versions.
  package let damaged: [VaultError]
}
