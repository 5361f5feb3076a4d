package import Coffer
internal import CofferFormat
package import CofferVault
internal import Synchronization

/// An item whose current value somebody could read who was removed from the vault since. What the vault says of it is
/// available directly: its group, its writer, who could read it, and whether an admin has dismissed it. All texts are
/// as they are stored: show them with ``DisplayText``.
@dynamicMemberLookup
package struct ItemToReplace: Sendable {
  package let kind: ItemKind
  /// The item; nil for one without a reference, which no address can name.
  package let reference: ItemReference?
  /// The service, server or label; never empty.
  package let title: String
  /// The account, issuer or tag; empty if there is none.
  package let subtitle: String
  /// Whether a form can give the item a new value.
  package let isEditable: Bool
  private let item: ExposedItem

  /// The number of the log entry that removed the readers.
  package var revocationEntry: UInt64 { item.exposure.position.sequence }

  init(_ item: ExposedItem) {
    let names = ItemNames(item.attributes, of: item.itemClass)
    kind = ItemKind(item.itemClass)
    reference = ItemReference(item.itemClass, item.attributes)
    title = names.title
    subtitle = names.subtitle
    isEditable =
      (kind == .genericPassword || kind == .internetPassword)
      && !ValueGuard(item.attributes).requiresApplicationPassword
    self.item = item
  }

  package subscript<Value>(dynamicMember member: KeyPath<ExposedItem, Value>) -> Value { item[keyPath: member] }
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
