package import CofferFormat
public import Foundation

/// An item as lists and look-ups give it: everything but its value.
public struct StoredItem<Item: KeychainItem>: Hashable, Sendable {
  /// The item's names and attributes.
  public let item: Item
  /// The access group's full name.
  public let group: String
  /// When the item was first written, by its writer's clock.
  public let created: Date
  /// When this version was written, by its writer's clock.
  public let modified: Date
  /// Who wrote this version, verified by its signature.
  public let writer: Writer
  /// True where machines changed the item at the same time; the next write ends it, and no version is lost.
  public let hasConflict: Bool
  /// Names the item for as long as it lives, whatever else about it changes.
  public let reference: PersistentReference

  init(_ found: FoundItem) {
    let attributes = found.attributes
    // What Coffer itself sets is no part of the item's names: a copy of these must be able to name another item.
    var own = attributes
    for code in [AttributeCode.created, .modified, .persistentReference] { own[code] = nil }
    item = Item(fields: ItemFields(own))
    group = found.group
    created = (attributes.date(.created) ?? Timestamp(microseconds: 0)).date
    modified = (attributes.date(.modified) ?? Timestamp(microseconds: 0)).date
    writer = found.writer
    hasConflict = found.hasConflict
    reference = PersistentReference(
      found.itemClass, identifier: attributes.identifier)
  }
}
