extension Repository {
  /// Lists the paths at which two commits differ. The cost depends on the size of the difference: directories that are
  /// equal are not read.
  ///
  /// A directory of `new` that is at fault itself (see ``GitError/isFaultOfObject``) is listed as unreadable and counts
  /// as empty, one of `old` counts as empty. A renamed file is a deletion and an addition. The order is that of the new tree, with the deletions of each
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

    mutating func addUnreadable(_ path: String, reason: String) {
      let path = path.hasSuffix("/") ? String(path.dropLast()) : path
      changes.append(
        TreeChange(path: path, kind: .unreadable(reason: reason), old: nil, new: nil, mode: .irregular))
    }
  }

  private func compare(
    _ old: ObjectID?, _ new: ObjectID?, path: String, depth: Int, _ comparison: inout Comparison
  ) throws(GitError) {
    if old == new { return }
    // The entries of a hostile tree may be out of order, so they are looked up by name and not merged in order.
    var oldEntries: [String: TreeEntry] = [:]
    for entry in try entries(old, &comparison).get(orElse: []) { oldEntries[entry.name] = entry }
    let newEntries = try entries(new, &comparison)
    if case .failure(let fault) = newEntries { comparison.addUnreadable(path, reason: fault.message) }
    for entry in newEntries.get(orElse: []) {
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

  /// Returns the entries of a tree, or its fault.
  private func entries(
    _ id: ObjectID?, _ comparison: inout Comparison
  ) throws(GitError) -> Result<[TreeEntry], GitError> {
    guard let id else { return .success([]) }
    let found: [TreeEntry]
    do throws(GitError) {
      found = try entries(id)
    } catch {
      guard error.isFaultOfObject else { throw error }
      return .failure(error)
    }
    comparison.remaining -= found.count
    guard comparison.remaining >= 0 else {
      throw GitError(.tooLarge, "more changes than the limit", context: "tree \(id)")
    }
    return .success(found)
  }

  private func entries(_ id: ObjectID) throws(GitError) -> [TreeEntry] {
    let tree = try tree(id)
    return (0..<tree.count).compactMap { tree[$0] }
  }
}

extension Result {
  fileprivate func get(orElse value: Success) -> Success {
    if case .success(let success) = self { success } else { value }
  }
}
