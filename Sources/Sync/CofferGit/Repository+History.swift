/// A file that a commit has, or that one before it had.
package struct HistoryFile: Sendable, Hashable {
  package let path: String
  package let content: ObjectID
  /// Whether none of the commits at which the history was entered has it.
  package let isFormer: Bool
}

extension Repository {
  /// The number of commits of a history that are visited.
  static let maximumCommitCount = 1 << 20

  /// Lists the regular files of several commits and of all before them, the latest first, each content once for each
  /// path. Only the files and directories at the root in `names` are read, of these the directories that `descends`
  /// accepts, and of all files those that `isWanted` accepts.
  ///
  /// Each commit and each directory is read once, whatever the number of commits that have it. So the cost does not
  /// grow with the number of branches that share a history. Follows all parents: an attacker with push access chooses
  /// the first parent of a merge. What cannot be read on the way is left out.
  package func everyFile(
    of tips: [ObjectID], in names: Set<String>, descends: (_ path: String) -> Bool = { _ in true },
    isWanted: (_ path: String) -> Bool = { _ in true }
  ) throws(GitError) -> [HistoryFile] {
    var files = HistoryFiles()
    var walk = CommitWalk(from: tips)
    var roots: Set<ObjectID> = []
    while let (commit, child) = walk.next() {
      walk.add(try soundParents(of: commit), of: commit)
      guard let root = try soundRootTree(of: commit), roots.insert(root).inserted, let tree = try soundTree(root) else {
        continue
      }
      for index in 0..<tree.count {
        guard let entry = tree[index], names.contains(entry.name) else { continue }
        try add(entry, path: entry.name, depth: 1, isFormer: child != nil, descends, isWanted, to: &files)
      }
    }
    return files.files
  }

  private struct HistoryFiles {
    private(set) var files: [HistoryFile] = []
    private var known: Set<Place> = []

    private struct Place: Hashable {
      let path: String
      let id: ObjectID
    }

    mutating func insert(_ path: String, _ id: ObjectID) -> Bool { known.insert(Place(path: path, id: id)).inserted }

    mutating func add(_ path: String, _ content: ObjectID, isFormer: Bool) {
      guard insert(path, content) else { return }
      files.append(HistoryFile(path: path, content: content, isFormer: isFormer))
    }
  }

  /// A walk through a history, the nearest commits first, which visits each commit once. An attacker with push access
  /// chooses the first parent of a merge, so all parents are visited.
  private struct CommitWalk {
    private var pending: [(commit: ObjectID, child: ObjectID?)] = []
    private var known: Set<ObjectID> = []
    private var index = 0

    init(from tips: [ObjectID]) { add(tips, of: nil) }

    /// The next commit, with the one after it in the history; nil for one at which the walk began.
    mutating func next() -> (commit: ObjectID, child: ObjectID?)? {
      guard index < pending.count, index < maximumCommitCount else { return nil }
      index += 1
      return pending[index - 1]
    }

    mutating func add(_ parents: [ObjectID], of child: ObjectID?) {
      for parent in parents where known.insert(parent).inserted { pending.append((parent, child)) }
    }
  }

  /// No object of a vault is in more directories.
  private static let maximumFolderDepth = 4

  private func add(
    _ entry: TreeEntry, path: String, depth: Int, isFormer: Bool, _ descends: (String) -> Bool,
    _ isWanted: (String) -> Bool, to files: inout HistoryFiles
  ) throws(GitError) {
    guard entry.isNameUsable else { return }
    switch entry.kind {
    case .file(.regular): if isWanted(path) { files.add(path, entry.id, isFormer: isFormer) }
    case .file: break
    case .directory:
      guard depth <= Self.maximumFolderDepth, descends(path), files.insert(path, entry.id),
        let tree = try soundTree(entry.id)
      else { return }
      for index in 0..<tree.count {
        guard let entry = tree[index] else { continue }
        try add(
          entry, path: "\(path)/\(entry.name)", depth: depth + 1, isFormer: isFormer, descends, isWanted, to: &files)
      }
    }
  }

  /// Lists the commits after which files were changed or removed that `isLoss` accepts, the earliest first: the latest
  /// `maximumCount` in the history that ends at `commit`, which is not in the list. `isLoss` is asked about each
  /// content of a path once, so whoever may push cannot make a commit count with anything that it does not accept.
  package func commitsBeforeChanges(
    in commit: ObjectID, maximumCount: Int = 256, isLoss: (HistoryFile) throws -> Bool = { _ in true }
  ) throws -> [ObjectID] {
    var commits: [ObjectID] = []
    var known: Set<HistoryFile> = []
    var walk = CommitWalk(from: [commit])
    while commits.count < maximumCount, let step = try nextChange(of: &walk) {
      var lost: [HistoryFile] = []
      for (name, entry) in step.old { try compare(entry, step.new[name], path: name, depth: 1, &lost) }
      var counts = false
      for file in lost where try !counts && known.insert(file).inserted && isLoss(file) { counts = true }
      if counts { commits.append(step.older) }
    }
    return commits.reversed()
  }

  /// Finds the next commit whose tree differs from that of the one after it.
  private func nextChange(
    of walk: inout CommitWalk
  ) throws(GitError) -> (older: ObjectID, old: [String: TreeEntry], new: [String: TreeEntry])? {
    while let (commit, child) = walk.next() {
      walk.add(try soundParents(of: commit), of: commit)
      guard let child, let old = try soundRootTree(of: commit) else { continue }
      let new = try soundRootTree(of: child)
      guard old != new else { continue }
      return (commit, try soundEntries(old), try soundEntries(new))
    }
    return nil
  }

  private func compare(
    _ old: TreeEntry?, _ new: TreeEntry?, path: String, depth: Int, _ lost: inout [HistoryFile]
  ) throws(GitError) {
    guard let old, old.id != new?.id, old.isNameUsable else { return }
    guard old.kind == .directory else {
      if case .file(.regular) = old.kind {
        lost.append(HistoryFile(path: path, content: old.id, isFormer: true))
      }
      return
    }
    guard depth <= Self.maximumFolderDepth else { return }
    let newEntries = new?.kind == .directory ? try soundEntries(new?.id) : [:]
    for entry in try soundEntries(old.id).values {
      try compare(entry, newEntries[entry.name], path: "\(path)/\(entry.name)", depth: depth + 1, &lost)
    }
  }

  func soundRootTree(of commit: ObjectID) throws(GitError) -> ObjectID? {
    try GitError.ignoringFaults { () throws(GitError) in try rootTree(of: commit) }
  }

  /// The entries of a tree by name; none of one at fault.
  private func soundEntries(_ id: ObjectID?) throws(GitError) -> [String: TreeEntry] {
    guard let id, let tree = try soundTree(id) else { return [:] }
    return Dictionary(tree.entries.map { ($0.name, $0) }) { _, last in last }
  }
}
