package import CofferFormat

/// What is looked for: a class and conditions. Typed queries and Keychain's dictionaries both become one of these.
package struct ItemSearch: Sendable {
  /// Which of the twins that differ in their synchronizable flag only.
  package enum Synchronizable: Sendable {
    case only(Bool)
    case any
  }

  package let itemClass: ItemClass
  /// Attributes that must be equal, by bytes.
  package var attributes: ItemAttributes
  package var synchronizable: Synchronizable
  /// The group to look into, by a name as users give it; nil for all of the caller's.
  package var group: String?
  /// The 16 bytes that name one item for ever.
  package var reference: [UInt8]?
  /// Further conditions, on the opened attributes.
  package var conditions: [@Sendable (ItemAttributes) -> Bool] = []
  /// How many items at most; nil for all.
  package var limit: Int?

  package init(
    _ itemClass: ItemClass, attributes: ItemAttributes = ItemAttributes(), synchronizable: Synchronizable = .any,
    group: String? = nil, reference: [UInt8]? = nil, limit: Int? = nil
  ) {
    self.itemClass = itemClass
    self.attributes = attributes
    self.synchronizable = synchronizable
    self.group = group
    self.reference = reference
    self.limit = limit
  }

  /// True where every item of the class is meant.
  var isUnconditional: Bool {
    guard case .any = synchronizable else { return false }
    return attributes.values.isEmpty && reference == nil && conditions.isEmpty
  }

  /// True where the opened attributes are those that are looked for.
  func matches(_ found: ItemAttributes) -> Bool {
    for (code, wanted) in attributes.values {
      guard let value = found[code] else {
        guard wanted.isDefault else { return false }
        continue
      }
      guard value.matchBytes == wanted.matchBytes || value.isDefault && wanted.isDefault else { return false }
    }
    if case .only(let flag) = synchronizable, found.isSynchronizable != flag { return false }
    if let reference, found[.persistentReference]?.matchBytes != reference { return false }
    return conditions.allSatisfy { $0(found) }
  }

  /// The item identifiers that a search by the whole primary key means in a group; nil where it is not one.
  func itemIDs(_ keys: GroupKeys) -> [ItemID]? {
    guard reference == nil, itemClass.primaryKey.allSatisfy({ attributes[$0] != nil }) else { return nil }
    let flags =
      switch synchronizable {
      case .only(let flag): [flag]
      case .any: [false, true]
      }
    return flags.map { keys.itemID(itemClass, isSynchronizable: $0, attributes: attributes) }
  }

  /// The tokens that narrow the search in a group; none where only a walk over the group answers it.
  func tokens(_ keys: GroupKeys) -> [Token] {
    if let reference { return [keys.token(.persistentReference, .data(reference))] }
    return keys.tokens(of: itemClass, attributes)
  }
}
