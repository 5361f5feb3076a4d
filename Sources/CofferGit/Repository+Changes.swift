extension Repository {
  /// Lists the paths at which two commits differ. The cost depends on the size of the difference: directories that are
  /// equal are not read.
  ///
  /// A renamed file is a deletion and an addition. The order is that of the new tree, with the deletions of each
  /// directory last.
  ///
  /// - Parameters:
  ///   - old: The first commit, or nil for an empty tree.
  ///   - new: The second commit.
  ///   - maximumDepth: The number of directory levels that are read. A directory below them counts as one irregular
  ///     file.
  ///   - maximumCount: The number of files and directories that are read.
  /// - Returns: The differences.
  /// - Throws: `GitError`: `.tooLarge` if more than `maximumCount` entries have to be read.
  package func changes(
    from old: ObjectID?, to new: ObjectID, maximumDepth: Int = 6, maximumCount: Int = 1_000_000
  ) throws(GitError) -> [TreeChange] {
    let oldTree = try old.map { id throws(GitError) in try rootTree(of: id) }
    var comparison = Comparison(maximumDepth: maximumDepth, remaining: maximumCount)
    try compare(oldTree, try rootTree(of: new), path: "", depth: 1, &comparison)
    return comparison.changes
  }

  private struct Comparison {
    let maximumDepth: Int
    var remaining: Int
    var changes: [TreeChange] = []

    mutating func add(_ path: String, old: TreeEntry?, new: TreeEntry?) {
      let kind: TreeChange.Kind =
        switch (old, new) {
        case (nil, _): .added
        case (_, nil): .deleted
        case (let old?, let new?): old.kind == new.kind ? .modified : .typeChanged
        }
      var mode = FileMode.irregular
      if case .file(let fileMode)? = (new ?? old)?.kind { mode = fileMode }
      changes.append(TreeChange(path: path, kind: kind, old: old?.id, new: new?.id, mode: mode))
    }
  }

  private func compare(
    _ old: ObjectID?, _ new: ObjectID?, path: String, depth: Int, _ comparison: inout Comparison
  ) throws(GitError) {
    if old == new { return }
    // The entries of a hostile tree may be out of order, so they are looked up by name and not merged in order.
    var oldEntries: [String: TreeEntry] = [:]
    for entry in try entries(old, &comparison) { oldEntries[entry.name] = entry }
    for entry in try entries(new, &comparison) {
      let previous = oldEntries.removeValue(forKey: entry.name)
      try compare(previous, entry, path: path + entry.name, depth: depth, &comparison)
    }
    for entry in oldEntries.values.sorted(by: { $0.name < $1.name }) {
      try compare(entry, nil, path: path + entry.name, depth: depth, &comparison)
    }
  }

  private func compare(
    _ old: TreeEntry?, _ new: TreeEntry?, path: String, depth: Int, _ comparison: inout Comparison
  ) throws(GitError) {
    if let old, let new, old.id == new.id, old.kind == new.kind { return }
    let mayDescend = depth < comparison.maximumDepth && path.utf8.count < Tree.maximumPathByteCount
    let oldTree = mayDescend && old?.kind == .directory ? old?.id : nil
    let newTree = mayDescend && new?.kind == .directory ? new?.id : nil
    let oldFile = oldTree == nil ? old : nil
    let newFile = newTree == nil ? new : nil
    if oldFile != nil || newFile != nil { comparison.add(path, old: oldFile, new: newFile) }
    try compare(oldTree, newTree, path: path + "/", depth: depth + 1, &comparison)
  }

  private func entries(_ id: ObjectID?, _ comparison: inout Comparison) throws(GitError) -> [TreeEntry] {
    guard let id else { return [] }
    let tree = try Tree.read(id, in: object)
    comparison.remaining -= tree.count
    guard comparison.remaining >= 0 else {
      throw GitError(.tooLarge, "more changes than the limit", context: "tree \(id)")
    }
    return (0..<tree.count).compactMap { tree[$0] }
  }
}
