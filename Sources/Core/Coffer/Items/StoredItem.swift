internal import CofferFormat
public import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// An item in the vault, without its value.
///
/// The properties of the item itself are available directly: `stored.service` is `stored.item.service`.
@dynamicMemberLookup
public struct StoredItem<Item: KeychainItem>: Hashable, Sendable {
  /// The item's names and attributes.
  public let item: Item
  /// The access group's full name.
  public let accessGroup: String
  /// When the item was first written, by the clock of the machine that wrote it.
  public let created: Date
  /// When this version was written, by the clock of the machine that wrote it.
  public let modified: Date
  /// The author of this version, verified by its signature.
  public let writer: ItemWriter
  /// Whether machines have changed the item at the same time. The next write ends the conflict; until then every
  /// version is kept, see ``Vault/conflicts(_:in:)``.
  public let hasConflict: Bool
  /// Identifies the item for as long as it exists, even if its primary key or group changes.
  public let reference: PersistentReference

  init(_ found: FoundItem) {
    let attributes = found.attributes
    item = Item(_fields: _ItemFields(attributes.ownAttributes))
    accessGroup = found.group
    created = (attributes.date(.created) ?? Timestamp(microseconds: 0)).date
    modified = (attributes.date(.modified) ?? Timestamp(microseconds: 0)).date
    writer = found.writer
    hasConflict = found.hasConflict
    reference = PersistentReference(
      found.itemClass, identifier: attributes.identifier)
  }

  /// A property of ``item``.
  public subscript<Value>(dynamicMember property: KeyPath<Item, Value>) -> Value { item[keyPath: property] }
}

extension StoredItem: CustomStringConvertible {
  /// The item with its attributes, its access group, and when and by whom it was written, for logs and debuggers.
  public var description: String {
    "\(item) in \(accessGroup), written by \(writer.safeWords) at \(modified)" + (hasConflict ? ", in conflict" : "")
  }
}
