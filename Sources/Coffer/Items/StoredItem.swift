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

/// Names an item for as long as it lives: across updates, changes of its primary key, moves between groups and restarts.
///
/// The bytes are Keychain's persistent reference: the class' four characters, then 16 random bytes.
public struct PersistentReference: Hashable, Sendable {
  /// The 20 bytes, to be kept and given to ``init(data:)`` later.
  public let data: Data

  /// Takes bytes that ``data`` gave; nil for others.
  public init?(data: Data) {
    let bytes = [UInt8](data)
    guard bytes.count == 20, ItemClass(rawValue: Self.code(bytes)) != nil else { return nil }
    self.data = Data(bytes)
  }

  package init(_ itemClass: ItemClass, identifier: [UInt8]) {
    data = Data(fourCharacters(of: itemClass.rawValue) + identifier)
  }

  package var itemClass: ItemClass? { ItemClass(rawValue: Self.code([UInt8](data))) }

  package var identifier: [UInt8] { [UInt8](data.dropFirst(4)) }

  private static func code(_ bytes: [UInt8]) -> UInt32 { fourCharacterCode(bytes.prefix(4)) }
}

/// The verified author of a version.
public struct Writer: Hashable, Sendable {
  /// The app's full identifier; nil where the vault's owner wrote it without an app.
  public let application: String?
  /// The name of the machine on which it was written.
  public let device: String
}

/// What a list found.
public struct ItemList<Item: KeychainItem>: Sendable {
  /// The items that could be read.
  public let items: [StoredItem<Item>]
  /// One error for each item that is damaged; the others are unharmed.
  public let damaged: [VaultError]
}
