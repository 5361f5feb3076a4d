extension Repository {
  /// Lists the paths at which a commit differs from the files that it should have. Directories that are equal are not
  /// read.
  ///
  /// A directory of the commit that is at fault itself (see ``GitError/isFaultOfObject``) is listed as unreadable and
  /// counts as empty. A renamed file is a deletion and an addition. The order is that of the commit's tree, with the
  /// deletions of each directory last.
  ///
  /// Only `maximumDepth` levels of directories are read, of which only those that `descends` accepts: any other
  /// directory counts as one irregular file. At most `maximumCount` files and directories are read, with names of at
  /// most 128 bytes on average; directories that exceed it are listed as unreadable.
  package func changes(
    from expected: FileTree, to commit: ObjectID, maximumDepth: Int = 6, maximumCount: Int = 500_000,
    descends: @escaping (_ path: String) -> Bool = { _ in true }
  ) throws(GitError) -> [TreeChange] {
    let expected = try IdentifiedTree.make(from: expected)
    var comparison = Comparison(
      maximumDepth: maximumDepth, descends: descends, remaining: maximumCount, remainingByteCount: maximumCount * 128)
    try compare(expected, try rootTree(of: commit), path: "", depth: 1, &comparison)
    return comparison.changes
  }

  private struct Comparison {
    let maximumDepth: Int
    let descends: (String) -> Bool
    var remaining: Int
    var remainingByteCount: Int
    var changes: [TreeChange] = []

    mutating func add(_ path: String, in folder: String, old: TreeEntry?, new: TreeEntry?) {
      let kind: TreeChange.Kind =
        switch (old, new) {
        case (nil, _): .added
        case (_, nil): .deleted
        case (let old?, let new?): old.kind == new.kind ? .modified : .typeChanged
        }
      var mode = FileMode.irregular
      if case .file(let fileMode)? = (new ?? old)?.kind { mode = fileMode }
      let isUsable = new?.isNameUsable ?? true
      changes.append(
        TreeChange(
          path: path, kind: kind, content: new?.id, mode: mode,
          folderOfUnusableName: isUsable ? nil : Self.withoutSlash(folder)))
    }

    mutating func add(_ kind: TreeChange.Kind, ofFolder path: String) {
      changes.append(TreeChange(path: Self.withoutSlash(path), kind: kind, content: nil, mode: .irregular))
    }

    /// Removes the slash at the end of a folder's path.
    private static func withoutSlash(_ path: String) -> String {
      path.utf8.last == UInt8(ascii: "/") ? String(Substring(path.utf8.dropLast())) : path
    }
  }

  private func compare(
    _ expected: IdentifiedTree?, _ found: ObjectID?, path: String, depth: Int, _ comparison: inout Comparison
  ) throws(GitError) {
    if expected?.id == found { return }
    // The entries of a hostile tree may be out of order, so they are looked up by name and not merged in order.
    var remaining = expected?.entries ?? [:]
    let entries = try entries(found, &comparison)
    if case .failure(let fault) = entries { comparison.add(.unreadable(fault), ofFolder: path) }
    if let found, case .success = entries, try !tree(found).isCanonical {
      comparison.add(.disordered, ofFolder: path)
    }
    for entry in entries.get(orElse: []) {
      let old = remaining.removeValue(forKey: entry.name)
      try compare(
        old, expected?.folders[entry.name], entry, path: path + entry.name, in: path, depth: depth, &comparison)
    }
    for entry in remaining.values.sorted(by: { $0.name < $1.name }) {
      try compare(
        entry, expected?.folders[entry.name], nil, path: path + entry.name, in: path, depth: depth, &comparison)
    }
  }

  private func compare(
    _ old: TreeEntry?, _ oldFolder: IdentifiedTree?, _ new: TreeEntry?, path: String, in folder: String, depth: Int,
    _ comparison: inout Comparison
  ) throws(GitError) {
    if let old, let new, old.id == new.id, old.kind == new.kind { return }
    let mayDescend =
      depth < comparison.maximumDepth && path.utf8.count < Tree.maximumPathByteCount && comparison.descends(path)
    let newTree = mayDescend && new?.kind == .directory ? new?.id : nil
    let oldFile = old?.kind == .directory ? nil : old
    let newFile = newTree == nil ? new : nil
    if oldFile != nil || newFile != nil {
      comparison.add(path, in: folder, old: oldFile, new: newFile)
    }
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
    comparison.remainingByteCount -= found.reduce(0) { $0 + $1.name.utf8.count }
    guard comparison.remaining >= 0, comparison.remainingByteCount >= 0 else {
      return .failure(GitError(.unreadable, "there are more files than this machine reads", context: "tree \(id)"))
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
