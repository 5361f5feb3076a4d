internal import Coffer
internal import CofferFormat
internal import Foundation

/// The validated dictionary of a Keychain call.
struct ItemRequest {
  /// The purpose of a dictionary, which determines the keys that have an effect.
  enum Purpose {
    /// The item of SecItemAdd.
    case add
    /// The query of SecItemCopyMatching.
    case search
    /// The query of SecItemUpdate or SecItemDelete.
    case selection
    /// The new values of SecItemUpdate.
    case newValues
  }

  let itemClass: RequestedClass
  /// The attributes, except those with a property of their own.
  var attributes = ItemAttributes()
  /// The attributes to remove.
  var cleared: Set<AttributeCode> = []
  var synchronizable: ItemSearch.Synchronizable?
  /// The access group; nil for the default (when adding) or for all groups of the program.
  var group: String?
  var accessControl: SecAccessControl?
  /// True if it has an attribute for unsupported storage, in which no item is ever found.
  var usesUnsupportedStorage = false
  var returns: ReturnTypes = []
  /// The maximum number of items; nil for all.
  var limit: Int? = 1
  var matches = MatchConditions()
  var value: [UInt8]?
  var reference: ItemReference?
  var authentication = AuthenticationOptions()

  /// Creates an empty request.
  init(_ itemClass: RequestedClass) { self.itemClass = itemClass }

  /// True if the dictionary contains an attribute.
  var hasAttributes: Bool {
    !attributes.values.isEmpty || !cleared.isEmpty || synchronizable != nil || group != nil || accessControl != nil
      || usesUnsupportedStorage
  }

  /// Returns the search for items of one of the vault's classes, with some of the request's attributes.
  func search(_ itemClass: ItemClass, _ attributes: ItemAttributes) -> ItemSearch {
    var search = ItemSearch(
      itemClass, attributes: attributes, synchronizable: synchronizable ?? .only(false), group: group)
    search.conditions = matches.conditions(of: itemClass)
    switch reference {
    case .persistent(let requested, let identifier):
      // A persistent reference is unique, so the synchronizable flag does not matter. An identity has its
      // certificate's.
      if synchronizable == nil { search.synchronizable = .any }
      let isOfClass = requested == .items(itemClass) || requested == .identities && itemClass == .certificate
      if isOfClass { search.reference = identifier }
    case let object?:
      var identifying = object.identifyingAttributes
      if case .identity(let identity) = object, itemClass == .key {
        identifying = ItemReference.key(identity.privateKey).identifyingAttributes
      }
      // Other attributes restrict the search further: one that contradicts the object matches nothing.
      let isContradictory = identifying.values.contains { code, own in
        attributes[code].map { $0.matchBytes != own.matchBytes } ?? false
      }
      if isContradictory { search.conditions.append { _ in false } }
      search.attributes.merge(identifying)
      if synchronizable == nil { search.synchronizable = .any }
    case nil: break
    }
    return search
  }
}
