extension Repository {
  /// The number of objects outside packs, and of packs. Past about 2,000 loose objects or 50 packs, deleting the cache
  /// and fetching again is cheaper than using it further.
  package struct Statistics: Sendable, Hashable {
    package let looseObjectCount: Int
    package let packCount: Int
  }
}
