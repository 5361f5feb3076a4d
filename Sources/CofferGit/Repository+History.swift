extension Repository {
  /// Lists the files that earlier commits had and a commit does not have any more, or has with another content, the
  /// latest first. One path can have several contents. Only the files and directories at the root in `names` are
  /// compared.
  ///
  /// Follows all parents. What cannot be read on the way is left out.
  package func formerFiles(
    of commit: ObjectID, in names: [String], maximumCommitCount: Int = 65_536, maximumCount: Int = 65_536
  ) throws(GitError) -> [(path: String, content: ObjectID)] {
    var history = FormerFiles(maximumCount: maximumCount)
    var walk = HistoryWalk(from: commit, maximumChangeCount: maximumCommitCount)
    while !history.isFull, let step = try nextChange(of: &walk) {
      for name in names { try compare(step.old[name], step.new[name], path: name, depth: 1, &history) }
    }
    return history.files
  }

  /// Lists the commits after which a file was changed or removed, the earliest first: the latest `maximumCount` in the
  /// history that ends at `commit`, which is not in the list.
  package func commitsBeforeChanges(
    in commit: ObjectID, maximumCommitCount: Int = 65_536, maximumCount: Int = 256
  ) throws(GitError) -> [ObjectID] {
    var commits: [ObjectID] = []
    var walk = HistoryWalk(from: commit, maximumChangeCount: maximumCommitCount)
    while commits.count < maximumCount, let step = try nextChange(of: &walk) {
      var first = FormerFiles(maximumCount: 1)
      for (name, entry) in step.old { try compare(entry, step.new[name], path: name, depth: 1, &first) }
      if first.isFull { commits.append(step.older) }
    }
    return commits.reversed()
  }

  /// A walk through the history, from the latest commit back, which visits each commit once. An attacker with push access
  /// chooses the first parent of a merge, so all parents are visited.
  private struct HistoryWalk {
    /// The number of commits that are visited, also if they change nothing.
    private static let maximumCommitCount = 1 << 20

    private var pending: [(commit: ObjectID, newer: ObjectID)] = []
    private var known: Set<ObjectID>
    private var next = 0
    /// The number of changes that may follow.
    var remainingChanges: Int

    init(from commit: ObjectID, maximumChangeCount: Int) {
      known = [commit]
      remainingChanges = maximumChangeCount
      pending = [(commit, commit)]
    }

    /// The next commit, with the one after it.
    mutating func step() -> (commit: ObjectID, newer: ObjectID)? {
      guard next < pending.count, next < Self.maximumCommitCount else { return nil }
      next += 1
      return pending[next - 1]
    }

    mutating func add(_ parents: [ObjectID], of commit: ObjectID) {
      for parent in parents where known.insert(parent).inserted { pending.append((parent, commit)) }
    }
  }

  /// Finds the next commit whose tree differs from that of the one after it.
  private func nextChange(
    of walk: inout HistoryWalk
  ) throws(GitError) -> (older: ObjectID, old: [String: TreeEntry], new: [String: TreeEntry])? {
    while walk.remainingChanges > 0, let (commit, newer) = walk.step() {
      walk.add(try soundParents(of: commit), of: commit)
      let (old, new) = (try soundRootTree(of: commit), try soundRootTree(of: newer))
      guard let old, old != new else { continue }
      walk.remainingChanges -= 1
      return (commit, try soundEntries(old), try soundEntries(new))
    }
    return nil
  }

  private struct FormerFiles {
    let maximumCount: Int
    private(set) var files: [(path: String, content: ObjectID)] = []
    private var known: Set<String> = []

    init(maximumCount: Int) { self.maximumCount = maximumCount }

    var isFull: Bool { files.count >= maximumCount }

    mutating func add(_ path: String, _ content: ObjectID) {
      guard !isFull, known.insert("\(path) \(content)").inserted else { return }
      files.append((path, content))
    }
  }

  /// No object of a vault is in more directories.
  private static let maximumFolderDepth = 4

  private func compare(
    _ old: TreeEntry?, _ new: TreeEntry?, path: String, depth: Int, _ history: inout FormerFiles
  ) throws(GitError) {
    guard let old, old.id != new?.id, old.isNameUsable, !history.isFull else { return }
    guard old.kind == .directory else {
      if case .file(.regular) = old.kind { history.add(path, old.id) }
      return
    }
    guard depth <= Self.maximumFolderDepth else { return }
    let newEntries = new?.kind == .directory ? try soundEntries(new?.id) : [:]
    for entry in try soundEntries(old.id).values {
      try compare(entry, newEntries[entry.name], path: "\(path)/\(entry.name)", depth: depth + 1, &history)
    }
  }

  private func soundRootTree(of commit: ObjectID) throws(GitError) -> ObjectID? {
    try GitError.ignoringFaults { () throws(GitError) in try rootTree(of: commit) }
  }

  /// The entries of a tree by name; none of one at fault.
  private func soundEntries(_ id: ObjectID?) throws(GitError) -> [String: TreeEntry] {
    guard let id, let tree = try soundTree(id) else { return [:] }
    var entries: [String: TreeEntry] = [:]
    for index in 0..<tree.count {
      if let entry = tree[index] { entries[entry.name] = entry }
    }
    return entries
  }
}
