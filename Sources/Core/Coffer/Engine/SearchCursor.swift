internal import CofferFormat
internal import CofferStore
internal import CofferVault

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

  /// Creates the cursor of a search whose pages are read in transactions of their own, with ``Vault/page(_:withValues:)``.
  package init(_ search: ItemSearch) { self.init(search, spansTransactions: true) }

  init(_ search: ItemSearch, in searched: [AccessibleGroup]? = nil, spansTransactions: Bool) {
    self.search = search
    self.searched = searched
    self.spansTransactions = spansTransactions
    remaining = search.limit ?? .max
    pageSize = min(AccessContext.pageSize, max(remaining, 1))
  }
}
