package import CofferVault

/// What to replace after a revocation.
extension Vault {
  /// Returns the items whose current value somebody could read who was removed since, of all groups of this author. An
  /// item is left out once it has another value that was written under the new key of its group. Items that were
  /// dismissed are included. `damaged` receives the error of each damaged item.
  package func exposedItems(damaged: (VaultError) -> Void) throws(VaultError) -> [ExposedItem] {
    try reading { reader, context in try context.exposedItems(reader, damaged: damaged) }
  }
}
