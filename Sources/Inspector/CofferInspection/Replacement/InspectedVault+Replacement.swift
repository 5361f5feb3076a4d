internal import Coffer
package import CofferVault

extension InspectedVault {
  /// Returns the items whose values somebody knows who was removed from the vault, in all groups of this author. An
  /// item is gone once it has another value that was written under the new key of its group; one that somebody has
  /// dismissed is listed with the reason until then. The items are by group, without values.
  package func itemsToReplace() throws(VaultError) -> ItemsToReplace {
    // Read first: what is written meanwhile is counted again.
    let position = try vault.itemChanges(after: nil).position
    var damaged: [VaultError] = []
    let exposed = try vault.exposedItems { damaged.append($0) }.map { ItemToReplace($0) }
    let items = exposed.filter { $0.dismissal == nil }
    replacementCount.set(items.count, at: position)
    return ItemsToReplace(items: items, dismissed: exposed.filter { $0.dismissal != nil }, damaged: damaged)
  }

  /// Returns the number of items to replace, which is counted once for each change of the vault.
  package func itemsToReplaceCount() throws(VaultError) -> Int {
    let position = try vault.itemChanges(after: nil).position
    if let known = replacementCount.count(at: position) { return known }
    return try itemsToReplace().items.count
  }
}
