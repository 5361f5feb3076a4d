package import Coffer
internal import CofferFormat
package import CofferPlatform
package import CofferVault
internal import Synchronization

/// An item whose current value somebody could read who was removed from the vault since. All texts are as they are
/// stored: show them with ``DisplayText``.
package struct ItemToReplace: Sendable {
  package let kind: ItemKind
  /// The item; nil for one without a reference, which no address can name.
  package let reference: ItemReference?
  /// The access group's full name.
  package let group: String
  /// The service, server or label; never empty.
  package let title: String
  /// The account, issuer or tag; empty if there is none.
  package let subtitle: String
  /// When the current version was written.
  package let written: Date
  package let writer: ItemWriter
  /// Whether a form can give the item a new value.
  package let isEditable: Bool
  /// The number of the log entry that removed the readers.
  package let revocationEntry: UInt64
  /// When they were removed.
  package let revoked: Date
  /// The apps and owners that could read the value, each with its machine.
  package let readers: [ItemWriter]
  /// The numbers of the vault keys that were replaced since: whoever has one of them could read the value.
  package let vaultKeys: [UInt32]
  /// Why the value stays as it is nevertheless; nil if it has to be replaced.
  package let dismissal: ItemDismissal?

  init(_ item: ExposedItem) {
    let names = ItemNames(item.attributes, of: item.itemClass)
    kind = ItemKind(item.itemClass)
    reference = ItemReference(item.itemClass, item.attributes)
    group = item.group
    title = names.title
    subtitle = names.subtitle
    written = item.written
    writer = item.writer
    isEditable =
      (kind == .genericPassword || kind == .internetPassword)
      && !ValueGuard(item.attributes).requiresApplicationPassword
    revocationEntry = item.exposure.position.sequence
    revoked = item.exposure.time
    readers = item.exposure.readers
    vaultKeys = item.exposure.vaultKeys
    dismissal = item.dismissal
  }
}

/// The items to replace, by group.
package struct ItemsToReplace: Sendable {
  package let items: [ItemToReplace]
  /// The items that an admin has taken off the list.
  package let dismissed: [ItemToReplace]
  /// The errors of damaged items, of which nobody can say whether they are to be replaced.
  package let damaged: [VaultError]
}

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

/// The number of items to replace as it was counted last. Counting opens every item of the groups from which something
/// was removed, so it is done once for each change of the vault.
final class ReplacementCount: Sendable {
  private let known = Mutex<(position: ChangePosition, count: Int)?>(nil)

  /// Returns the number at a position; nil if the vault was counted at another one.
  func count(at position: ChangePosition) -> Int? {
    known.withLock { $0?.position == position ? $0?.count : nil }
  }

  func set(_ count: Int, at position: ChangePosition) { known.withLock { $0 = (position, count) } }
}
