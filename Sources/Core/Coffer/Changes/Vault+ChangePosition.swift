package import CofferVault
internal import CofferFormat
internal import CofferStore
internal import CofferTrust

extension Vault {
  /// Returns the access groups in which items have changed after a position in the store, and the position now. What has
  /// read all groups at a position knows from it, in a single short read, whether that still holds.
  ///
  /// - Parameters:
  ///   - position: A position that an earlier call has returned; `Int64.max` to learn only the position now.
  ///   - accessGroup: The access group to look at; all of the app's groups if nil.
  /// - Returns: The full names of the groups, in the app's order, and the position.
  /// - Throws: ``VaultError``: `notEntitled`, `locked`; `integrity` or `io` if the store cannot be read.
  package func changedGroups(
    after position: Int64, in accessGroup: String? = nil
  ) throws(VaultError) -> (groups: [String], position: Int64) {
    try reading { reader, context in
      let groups = try context.groups(named: accessGroup)
      let (changed, last) = try reader.groupsChanged(after: position)
      return (groups.filter { changed.contains($0.id) }.map(\.name), last)
    }
  }
}
