package import CofferFormat
internal import CofferKeys

/// A search: a class and conditions. Typed queries and Keychain's dictionaries are both translated into one.
package struct ItemSearch: Sendable {
  /// Filters on `kSecAttrSynchronizable`.
  package enum Synchronizable: Sendable {
    case only(Bool)
    case any
  }

  package let itemClass: ItemClass
  /// Attributes that must be equal, byte for byte.
  package var attributes: ItemAttributes
  package var synchronizable: Synchronizable
  /// The group to search, by a name as users write it; nil for all of the caller's groups.
  package var group: String?
  /// The 16 random bytes of a persistent reference.
  package var reference: [UInt8]?
  /// Further conditions that the opened attributes must fulfil.
  package var conditions: [@Sendable (ItemAttributes) -> Bool] = []
  /// The maximum number of items; nil for all.
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

  /// Whether the search finds every item of its class.
  var isUnconditional: Bool {
    guard case .any = synchronizable else { return false }
    return attributes.values.isEmpty && reference == nil && conditions.isEmpty
  }

  /// Whether opened attributes fulfil all conditions.
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

  /// Whether the search has the complete primary key, and no other attribute.
  var hasOnlyPrimaryKey: Bool {
    reference == nil && Set(attributes.values.map(\.key)) == Set(itemClass.primaryKey)
  }

  /// Returns the identifiers of the items that can match in a group, if the search has the complete primary key; nil
  /// otherwise.
  func itemIDs(_ keys: GroupKeys) -> [ItemID]? {
    guard reference == nil, itemClass.primaryKey.allSatisfy({ attributes[$0] != nil }) else { return nil }
    let flags =
      switch synchronizable {
      case .only(let flag): [flag]
      case .any: [false, true]
      }
    return flags.map { keys.itemID(itemClass, isSynchronizable: $0, attributes: attributes) }
  }

  /// Returns the tokens by which the store's index narrows the search in a group. If there are none, the whole group is
  /// scanned.
  func tokens(_ keys: GroupKeys) -> [Token] {
    if let reference { return [keys.token(.persistentReference, .data(reference))] }
    return keys.tokens(of: itemClass, attributes)
  }
}
