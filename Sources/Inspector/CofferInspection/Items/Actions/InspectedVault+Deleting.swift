package import Coffer
internal import CofferCrypto
package import CofferFormat
package import CofferVault
internal import Synchronization

extension InspectedVault {
  /// How many minutes a deletion can be undone, unless the vault is locked before.
  package static let undoMinutes = 10

  /// Deletes items, all or none. The result has the token that undoes it. Throws `itemChanged` if one of the items was
  /// written since it was seen.
  @discardableResult
  package func delete(_ revisions: [ItemRevision]) throws(VaultError) -> ItemDeletion {
    let deleted = try vault.delete(revisions)
    return ItemDeletion(count: deleted.count, token: deletions.insert(deleted, for: .seconds(60 * Self.undoMinutes)))
  }

  /// Returns the number of items that ``deleteAll(_:seen:)`` would delete, and what identifies them as they are now, to
  /// be shown before. Of the request, only the filters and the search text matter. If it names no group, items of
  /// groups that can only be read are left out.
  package func selection(_ request: ItemRequest) throws(VaultError) -> ItemSelection {
    ItemSelection(try revisions(of: request))
  }

  /// Deletes all items that a request finds, on all of its pages, all or none. `seen` is ``ItemSelection/digest`` of
  /// the items that the person has confirmed. The result has the token that undoes it. Throws `itemChanged` if the
  /// request finds other items by now, or one of them was written in the meantime.
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

  /// Returns what deletes some items of a list as they are now, and what identifies them so, as for a whole list.
  package func selection(
    _ items: [(reference: ItemReference, group: String)]
  ) throws(VaultError) -> (selection: ItemSelection, revisions: [ItemRevision]) {
    let revisions = try items.map { item throws(VaultError) in try details(of: item.reference, in: item.group).revision
    }
    return (ItemSelection(revisions), revisions)
  }

  /// Returns where the items are that a request finds, whatever its page.
  package func addresses(of request: ItemRequest) throws(VaultError) -> [ItemAddress] {
    let group = try request.group.map { name throws(VaultError) in try vault.groupID(named: name) }
    return try index.findAll(request, in: group)
  }

  private func revisions(of request: ItemRequest) throws(VaultError) -> [ItemRevision] {
    var addresses = try addresses(of: request)
    if request.group == nil {
      let writable = Set(try writableGroups.map { name throws(VaultError) in try vault.groupID(named: name) })
      addresses.removeAll { !writable.contains($0.group) }
    }
    return try vault.revisions(at: addresses)
  }

  /// Restores the items of a deletion as they were, all or none, and returns their number. The token can be used once.
  /// Throws `itemNotFound` if it is unknown, was used, or its time has passed, and `itemChanged` if one of the items
  /// was written since.
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

/// The items that a person is about to change together, as they were when they were shown.
package struct ItemSelection: Sendable, Hashable {
  package let count: Int
  /// What identifies these versions of these items, for a form.
  package let digest: String

  init(_ revisions: [ItemRevision]) { self.init(of: revisions.map(\.text)) }

  /// Items to replace, each with the removal that exposed it.
  package init(_ items: [ItemToReplace]) { self.init(of: items.map(\.key)) }

  private init(of texts: [String]) {
    count = texts.count
    digest = Hash.digest(Array(texts.sorted().joined(separator: " ").utf8), domain: .selection).hex
  }
}

extension Domain {
  fileprivate static let selection = Domain("coffer.select.1")
}

/// A deletion that can be undone.
package struct ItemDeletion: Sendable, Hashable {
  /// The number of items that were deleted.
  package let count: Int
  /// The token for ``InspectedVault/undo(_:)``, good for ``InspectedVault/undoMinutes``.
  package let token: String
}

/// The deletions of a session that can be undone.
final class UndoableDeletions: Sendable {
  private struct Deletion {
    let token: String
    let items: [DeletedItem]
    let deadline: ContinuousClock.Instant
  }

  /// The largest number of deletions that are kept. Of more, the oldest is forgotten.
  private static let capacity = 50

  private let deletions = Mutex<[Deletion]>([])

  /// Keeps a deletion for a time. Returns the token that undoes it.
  func insert(_ items: [DeletedItem], for time: Duration) -> String {
    let token = hexadecimal(Random.bytes(count: 16))
    deletions.withLock { deletions in
      deletions.removeAll { $0.deadline < .now }
      if deletions.count >= Self.capacity { deletions.removeFirst() }
      deletions.append(Deletion(token: token, items: items, deadline: .now + time))
    }
    return token
  }

  /// Returns the items of a deletion; nil if there is none with this token, or its time has passed.
  func items(of token: String) -> [DeletedItem]? {
    deletions.withLock { $0.first { $0.token == token && $0.deadline >= .now }?.items }
  }

  func remove(_ token: String) { deletions.withLock { $0.removeAll { $0.token == token } } }

  func removeAll() { deletions.withLock { $0 = [] } }
}
