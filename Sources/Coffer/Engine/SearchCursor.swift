internal import CofferFormat

/// The state of a search that can continue in a later transaction, so that no long list is in memory and no long read
/// transaction blocks WAL checkpoints.
struct SearchCursor {
  enum Place {
    /// The current group was not searched yet.
    case start
    /// These items, from an index on. The tokens are those by which the store's index found them, if it did.
    case items([ItemID], Int, [Token])
    /// Every item of the group after this one.
    case scan(after: ItemID?)
  }

  let search: ItemSearch
  /// The index of the group that is searched now.
  var groupIndex = 0
  var place = Place.start
  var remaining: Int
  var names: [String]?
  /// Whether the search is complete.
  var isFinished = false

  init(_ search: ItemSearch) {
    self.search = search
    remaining = search.limit ?? .max
  }

  /// Continues with the next group.
  mutating func advance() {
    groupIndex += 1
    place = .start
  }
}
