extension Repository {
  /// The number of objects outside packs, and of packs. Past about 2,000 loose objects or 50 packs, deleting the cache
  /// and fetching again is cheaper than using it further.
  package struct Statistics: Sendable, Hashable {
    package let looseObjectCount: Int
    package let packCount: Int
  }

  /// Counts the files of the repository.
  package func statistics() throws(GitError) -> Statistics {
    let folder = RepositoryFolder(path: path)
    var looseObjectCount = 0
    for name in try folder.names(in: "objects") where name.utf8.count == 2 {
      looseObjectCount += try folder.names(in: "objects/" + name).count
    }
    let packCount = try folder.names(in: "objects/pack").count { $0.hasSuffix(".pack") }
    return Statistics(looseObjectCount: looseObjectCount, packCount: packCount)
  }
}
