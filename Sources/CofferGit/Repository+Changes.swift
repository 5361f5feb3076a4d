extension Repository {
  /// Lists the paths at which a commit differs from the files that it should have. Directories that are equal are not
  /// read.
  ///
  /// A directory of the commit that is at fault itself (see ``GitError/isFaultOfObject``) is listed as unreadable and
  /// counts as empty. A renamed file is a deletion and an addition. The order is that of the commit's tree, with the
  /// deletions of each directory last.
  ///
  /// - Parameters:
  ///   - expected: The files that the commit should have.
  ///   - commit: The commit.
  ///   - maximumDepth: The number of directory levels that are read. A directory below them counts as one irregular
  ///     file.
  ///   - maximumCount: The number of files and directories that are read.
  /// - Returns: The differences.
  /// - Throws: `GitError`: `.tooLarge` if more than `maximumCount` entries have to be read.
  package func changes(
    from expected: FileTree, to commit: ObjectID, maximumDepth: Int = 6, maximumCount: Int = 1_000_000
  ) throws(GitError) -> [TreeChange] {
    let expected = try IdentifiedTree.make(from: expected)
    var comparison = Comparison(maximumDepth: maximumDepth, remaining: maximumCount)
    try compare(expected, try rootTree(of: commit), path: "", depth: 1, &comparison)
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
      var folder: String?
      if let new, !new.isNameUsable {
        folder = String(path.dropLast(new.name.count + 1))
      }
      changes.append(
        TreeChange(path: path, kind: kind, content: new?.id, mode: mode, folderOfUnusableName: folder))
    }

    mutating func addUnreadable(_ path: String, _ fault: GitError) {
      let path = path.hasSuffix("/") ? String(path.dropLast()) : path
      changes.append(TreeChange(path: path, kind: .unreadable(fault), content: nil, mode: .irregular))
    }
  }

  private func compare(
    _ expected: IdentifiedTree?, _ found: ObjectID?, path: String, depth: Int, _ comparison: inout Comparison
  ) throws(GitError) {
    if expected?.id == found { return }
    // The entries of a hostile tree may be out of order, so they are looked up by name and not merged in order.
    var remaining = expected?.entries ?? [:]
    let entries = try entries(found, &comparison)
    if case .failure(let fault) = entries { comparison.addUnreadable(path, fault) }
    for entry in entries.get(orElse: []) {
      let old = remaining.removeValue(forKey: entry.name)
      try compare(
        old, expected?.folders[entry.name], entry, path: path + entry.name, depth: depth, &comparison)
    }
    for entry in remaining.values.sorted(by: { $0.name < $1.name }) {
      try compare(
        entry, expected?.folders[entry.name], nil, path: path + entry.name, depth: depth, &comparison)
    }
  }

  /// Compares what is at one path.
  private func compare(
    _ old: TreeEntry?, _ oldFolder: IdentifiedTree?, _ new: TreeEntry?, path: String, depth: Int,
    _ comparison: inout Comparison
  ) throws(GitError) {
    if let old, let new, old.id == new.id, old.kind == new.kind { return }
    let mayDescend = depth < comparison.maximumDepth && path.utf8.count < Tree.maximumPathByteCount
    let newTree = mayDescend && new?.kind == .directory ? new?.id : nil
    let oldFile = old?.kind == .directory ? nil : old
    let newFile = newTree == nil ? new : nil
    if oldFile != nil || newFile != nil { comparison.add(path, old: oldFile, new: newFile) }
    try compare(
      old?.kind == .directory ? oldFolder : nil, newTree, path: path + "/", depth: depth + 1, &comparison)
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
