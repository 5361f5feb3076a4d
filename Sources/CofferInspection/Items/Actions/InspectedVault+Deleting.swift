package import Coffer
internal import CofferFormat
package import CofferVault

extension InspectedVault {
  /// How many minutes a deletion can be undone, unless the vault is locked before.
  package static let undoMinutes = 10

  /// Deletes items, all or none.
  ///
  /// - Parameter revisions: What was seen of the items.
  /// - Returns: The deletion, with the token that undoes it.
  /// - Throws: ``VaultError``: `itemChanged` if one of the items was written since; `notEntitled`; `locked`; the errors of
  ///   writing. Nothing has changed then.
  @discardableResult
  package func delete(_ revisions: [ItemRevision]) throws(VaultError) -> ItemDeletion {
    let deleted = try vault.delete(revisions)
    return ItemDeletion(count: deleted.count, token: deletions.insert(deleted, for: .seconds(60 * Self.undoMinutes)))
  }

  /// Returns the items that ``deleteAll(_:seen:)`` would delete, to be shown before.
  ///
  /// - Parameter request: The filters and the search text. Order and page do not matter. If it names no group, items of
  ///   groups that can only be read are left out.
  /// - Returns: Their number, and what identifies them as they are now.
  /// - Throws: ``VaultError``: `notEntitled`, `locked`.
  package func selection(_ request: ItemRequest) throws(VaultError) -> ItemSelection {
    ItemSelection(try revisions(of: request))
  }

  /// Deletes all items that a request finds, on all of its pages, all or none.
  ///
  /// - Parameters:
  ///   - request: The filters and the search text, as in ``selection(_:)``.
  ///   - seen: ``ItemSelection/digest`` of the items that the person has confirmed.
  /// - Returns: The deletion, with the token that undoes it.
  /// - Throws: ``VaultError``: `itemChanged` if the request finds other items by now, or one of them was written in the
  ///   meantime; `notEntitled`; `locked`; the errors of writing. Nothing has changed then.
  @discardableResult
  package func deleteAll(_ request: ItemRequest, seen: String) throws(VaultError) -> ItemDeletion {
    let revisions = try revisions(of: request)
    guard ItemSelection(revisions).digest == seen else {
      throw VaultError(
        .itemChanged, "other items match by now than those that were shown; nothing was deleted",
        recoverySuggestion: "look at the list again")
    }
    return try delete(revisions)
  }

  private func revisions(of request: ItemRequest) throws(VaultError) -> [ItemRevision] {
    let group = try request.group.map { name throws(VaultError) in try vault.groupID(named: name) }
    var addresses = try index.findAll(request, in: group)
    if group == nil {
      let writable = Set(try writableGroups.map { name throws(VaultError) in try vault.groupID(named: name) })
      addresses.removeAll { !writable.contains($0.group) }
    }
    return try vault.revisions(at: addresses)
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
