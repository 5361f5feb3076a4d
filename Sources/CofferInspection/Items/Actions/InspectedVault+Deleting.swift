package import Coffer
package import CofferVault

extension InspectedVault {
  /// How long a deletion can be undone: ten minutes, unless the vault is locked before.
  package static let undoTime = Duration.seconds(600)

  /// Deletes items, all or none.
  ///
  /// - Parameter revisions: What was seen of the items.
  /// - Returns: The deletion, with the token that undoes it.
  /// - Throws: ``VaultError``: `itemChanged` if one of the items was written since; `notEntitled`; `locked`; the errors of
  ///   writing. Nothing has changed then.
  @discardableResult
  package func delete(_ revisions: [ItemRevision]) throws(VaultError) -> ItemDeletion {
    let deleted = try vault.delete(revisions)
    return ItemDeletion(count: deleted.count, token: deletions.insert(deleted, for: Self.undoTime))
  }

  /// Deletes all items that a request finds, on all of its pages, all or none.
  ///
  /// - Parameters:
  ///   - request: The filters and the search text. Order and page do not matter.
  ///   - count: The number of items that the person was told.
  /// - Returns: The deletion, with the token that undoes it.
  /// - Throws: ``VaultError``: `itemChanged` if the request finds another number of items by now, or one of them was written
  ///   in the meantime; `notEntitled`; `locked`; the errors of writing. Nothing has changed then.
  @discardableResult
  package func deleteAll(_ request: ItemRequest, count: Int) throws(VaultError) -> ItemDeletion {
    let group = try request.group.map { name throws(VaultError) in try vault.groupID(named: name) }
    let addresses = try index.findAll(request, in: group)
    let revisions = try vault.revisions(at: addresses)
    guard revisions.count == count else {
      throw VaultError(
        .itemChanged, "\(revisions.count) items match by now instead of \(count); nothing was deleted",
        recoverySuggestion: "look at the list again")
    }
    return try delete(revisions)
  }

  /// Restores the items of a deletion as they were, all or none.
  ///
  /// - Parameter token: The token of the deletion. It can be used once.
  /// - Returns: The number of items.
  /// - Throws: ``VaultError``: `itemNotFound` if the token is unknown, was used, or its time has passed; `itemChanged` if
  ///   one of the items was written since; `notEntitled`; `locked`; the errors of writing. Nothing has changed then.
  @discardableResult
  package func undo(_ token: String) throws(VaultError) -> Int {
    guard let deleted = deletions.items(of: token) else {
      throw VaultError(
        .itemNotFound, "this deletion cannot be undone any more",
        recoverySuggestion: "restore each item from its history, which is kept for 30 days")
    }
    try vault.restore(deleted)
    deletions.remove(token)
    return deleted.count
  }
}
