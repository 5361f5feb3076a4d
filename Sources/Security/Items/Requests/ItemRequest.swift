internal import Coffer
internal import CofferFormat
internal import Foundation

/// What a Keychain call's dictionary asks for, checked.
struct ItemRequest {
  /// What a dictionary is for: a key that means much in one means nothing in another.
  enum Purpose {
    /// SecItemAdd.
    case add
    /// SecItemCopyMatching.
    case search
    /// What SecItemUpdate and SecItemDelete work on.
    case selection
    /// What SecItemUpdate sets.
    case newValues
  }

  let itemClass: RequestedClass
  /// All that are stored as they come, and the accessibility.
  var attributes = ItemAttributes()
  /// Attributes that new values take away.
  var cleared: Set<AttributeCode> = []
  var synchronizable: ItemSearch.Synchronizable?
  /// The access group; nil for the caller's default, or all of theirs.
  var group: String?
  var accessControl: SecAccessControl?
  /// True where it names a place that Coffer has not, in which nothing is ever found.
  var isElsewhere = false
  var returns: ReturnTypes = []
  /// How many items at most; nil for all.
  var limit: Int? = 1
  var matches = MatchConditions()
  /// The item's value.
  var value: [UInt8]?
  /// The item itself.
  var reference: ItemReference?
  var authentication = AuthenticationOptions()

  init(_ itemClass: RequestedClass) { self.itemClass = itemClass }

  /// True where some attribute says which items are meant.
  var hasAttributes: Bool {
    !attributes.values.isEmpty || !cleared.isEmpty || synchronizable != nil || group != nil || accessControl != nil
      || isElsewhere
  }

  /// The search for its items, all of one class of the vault.
  func search(_ itemClass: ItemClass, _ attributes: ItemAttributes) -> ItemSearch {
    var search = ItemSearch(
      itemClass, attributes: attributes, synchronizable: synchronizable ?? .only(false), group: group)
    search.conditions = matches.conditions(of: itemClass)
    switch reference {
    case .persistent(let requested, let identifier):
      // It names one item, whatever its flag; an identity's is its certificate's.
      if synchronizable == nil { search.synchronizable = .any }
      let isMeant = requested == .items(itemClass) || requested == .identities && itemClass == .certificate
      if isMeant { search.reference = identifier }
    case let object?:
      var names = object.names
      if case .identity(let identity) = object, itemClass == .key {
        names = ItemReference.key(identity.privateKey).names
      }
      // What stands beside the object narrows the search: an attribute that is not the object's finds nothing.
      let isOther = names.values.contains { code, own in
        attributes[code].map { $0.matchBytes != own.matchBytes } ?? false
      }
      if isOther { search.conditions.append { _ in false } }
      search.attributes.merge(names)
      if synchronizable == nil { search.synchronizable = .any }
    case nil: break
    }
    return search
  }
}

extension ItemAttributes {
  /// Takes the other's attributes where it has none of its own.
  mutating func merge(_ other: ItemAttributes) { values.merge(other.values) { own, _ in own } }
}
