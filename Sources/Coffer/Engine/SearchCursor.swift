internal import CofferFormat

/// Where a search stands: it can go on in a later transaction, so that no list sits in memory and no reader keeps others from
/// cleaning up.
struct SearchCursor {
  enum Place {
    /// The group is yet to be begun.
    case start
    /// Exactly these items, from an index on; where the index of tokens named them, with those tokens.
    case items([ItemID], Int, [Token])
    /// Every item of the group from behind this one on.
    case scan(after: ItemID?)
  }

  let search: ItemSearch
  /// The index of the group that is searched now.
  var groupIndex = 0
  var place = Place.start
  var remaining: Int
  var names: [String]?
  /// True where there is nothing more to find.
  var isFinished = false

  init(_ search: ItemSearch) {
    self.search = search
    remaining = search.limit ?? .max
  }

  /// Goes to the next group.
  mutating func advance() {
    groupIndex += 1
    place = .start
  }
}
