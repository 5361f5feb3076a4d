package import CofferFormat
internal import CofferKeys
internal import CofferStore
package import CofferVault
internal import Synchronization

/// A search: a class and conditions. Typed queries and Keychain's dictionaries are both translated into one.
package struct ItemSearch: Sendable, Codable {
  /// Filters on `kSecAttrSynchronizable`.
  package enum Synchronizable: Sendable, Codable {
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

  // Not the conditions, which are functions.
  private enum CodingKeys: CodingKey { case itemClass, attributes, synchronizable, group, reference, limit }

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
  var hasOnlyPrimaryKey: Bool { reference == nil && Set(attributes.values.map(\.key)) == Set(itemClass.primaryKey) }

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

/// The state of a search that can continue in a later transaction, so that no long list is in memory and no long read
/// transaction blocks WAL checkpoints.
package struct SearchCursor: Sendable {
  /// The search in one group.
  struct Group {
    enum Source {
      /// The items whose head has these tokens.
      case tokens([Token])
      /// All items of the class.
      case all
      /// The items after this one that are not in the list, because the marks in their rows are wrong.
      case unlisted(after: ItemID?)
      /// The search in this group is complete.
      case none
    }

    let name: String
    var source: Source
    /// The number of items of the class when the search began.
    var expectedCount = 0
    /// The number of items that the list had until now.
    var count = 0
  }

  let search: ItemSearch
  /// The groups to search instead of those that the search names.
  let searched: [AccessibleGroup]?
  /// Whether the pages are read in transactions of their own, between which items are written.
  let spansTransactions: Bool
  /// The groups, once their names are resolved. Groups that are added or removed during a search do not change it.
  var groups: [Group]?
  /// The last place that was read.
  var last: ListPlace?
  /// The place of the last item that was returned.
  var lastReturned: ListPlace?
  /// The maximum number of places to read from each group for the next page.
  var pageSize: Int
  /// The items that must not be returned again: an item can have several places if it is in conflict, or is written
  /// while the search goes on.
  let seen = SeenItems()
  /// The error of a group that cannot be searched.
  var failure: VaultError?
  var remaining: Int
  /// Whether the search is complete.
  package internal(set) var isFinished = false

  /// Creates the cursor of a search whose pages are read in transactions of their own, with
  /// ``Vault/page(_:withValues:)``.
  package init(_ search: ItemSearch) { self.init(search, spansTransactions: true) }

  init(_ search: ItemSearch, in searched: [AccessibleGroup]? = nil, spansTransactions: Bool) {
    self.search = search
    self.searched = searched
    self.spansTransactions = spansTransactions
    remaining = search.limit ?? .max
    pageSize = min(AccessContext.pageSize, max(remaining, 1))
  }
}

/// The items that one step of a search found.
package struct SearchPage: Sendable {
  package internal(set) var items: [FoundItem] = []
  package internal(set) var damaged: [VaultError] = []
}

/// The items that a search has returned. A reference, because copies of the cursor that share a set would copy it at
/// the first insertion of each page.
final class SeenItems: Sendable {
  private struct State {
    var items: Set<ItemID> = []
    var page: [ItemID] = []
  }

  private let state = Mutex(State())

  func beginPage() { state.withLock { $0.page = [] } }

  /// Forgets the items of a page that failed: they were not returned.
  func forgetPage() {
    state.withLock { state in
      state.items.subtract(state.page)
      state.page = []
    }
  }

  func contains(_ item: ItemID) -> Bool { state.withLock { $0.items.contains(item) } }

  /// Returns false for an item that was inserted before.
  func insert(_ item: ItemID) -> Bool {
    state.withLock { state in
      guard state.items.insert(item).inserted else { return false }
      state.page.append(item)
      return true
    }
  }
}
