package import CofferVault

/// What to replace after a revocation.
extension Vault {
  /// Returns the items whose current value somebody could read who was removed since, of all groups of this author. An
  /// item is left out once it has another value that was written under the new key of its group.
  ///
  /// - Parameter damaged: Receives the error of each damaged item.
  /// - Returns: The items without values, by group, also those that were dismissed.
  /// - Throws: ``VaultError``: `locked`; the errors of the store.
  package func exposedItems(damaged: (VaultError) -> Void) throws(VaultError) -> [ExposedItem] {
    try reading { reader, context in try context.exposedItems(reader, damaged: damaged) }
  }
}
