package import Coffer
package import CofferVault

/// The versions of an item, newest first.
package struct InspectedHistory: Sendable {
  package let versions: [ItemVersionRow]
  /// What a restore must name.
  package let revision: ItemRevision?
  /// Errors of damaged versions.
  package let damaged: [VaultError]
}
