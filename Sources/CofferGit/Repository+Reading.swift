internal import CGit2

extension Repository {
  /// The commits that a commit follows: none, one, or several for a merge.
  package func commitParents(_ id: ObjectID) throws(GitError) -> [ObjectID] {
    let commit = try lookUpCommit(id)
    defer { extendLifetime(commit) }
    var parents: [ObjectID] = []
    let count = unsafe git_commit_parentcount(commit.pointer)
    for index in 0..<count {
      if let parent = unsafe git_commit_parent_id(commit.pointer, index) {
        parents.append(ObjectID(unsafe parent.pointee))
      }
    }
    return parents
  }

  /// Whether the history of `descendant` holds `ancestor`. A commit is its own ancestor.
  package func isAncestor(_ ancestor: ObjectID, of descendant: ObjectID) throws(GitError) -> Bool {
    if ancestor == descendant {
      _ = try lookUpCommit(ancestor)
      return true
    }
    var old = ancestor.raw
    var new = descendant.raw
    let result = unsafe git_graph_descendant_of(handle.pointer, &new, &old)
    try check(result, context: "commit \(descendant)")
    return result == 1
  }

  /// The content of a file.
  ///
  /// - Returns: `nil` where there is nothing at that path, or no regular file.
  /// - Throws: `.tooLarge`, before anything is read, where it has more than `maximumByteCount` bytes.
  package func blob(at path: String, in commit: ObjectID, maximumByteCount: Int) throws(GitError) -> [UInt8]? {
    guard let entry = try entry(at: Tree.parts(of: path), in: commit) else { return nil }
    switch entry.kind {
    case .file(.regular), .file(.executable): return try blob(entry.id, maximumByteCount: maximumByteCount)
    default: return nil
    }
  }

  /// The content of a file by its name as an object, as `forEachFile` and `changes` give it.
  package func blob(_ id: ObjectID, maximumByteCount: Int) throws(GitError) -> [UInt8] {
    let byteCount = try byteCount(ofBlob: id)
    guard byteCount <= maximumByteCount else {
      throw GitError(.tooLarge, "\(byteCount) bytes, and the limit is \(maximumByteCount)", context: "blob \(id)")
    }
    var raw = id.raw
    let blob = unsafe try Handle(context: "blob \(id)", git_blob_free) { [handle = handle.pointer] in
      unsafe git_blob_lookup(&$0, handle, &raw)
    }
    defer { extendLifetime(blob) }
    guard let start = unsafe git_blob_rawcontent(blob.pointer) else { return [] }
    // Its own size, not the header's: only that one is sure to be the size of the memory.
    let count = Int(unsafe git_blob_rawsize(blob.pointer))
    guard count == byteCount else {
      throw GitError(.corrupt, "has \(count) bytes in place of \(byteCount)", context: "blob \(id)")
    }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// What stands in a commit where files cannot be added: something that is no directory where one is needed, and a directory
  /// where a file belongs.
  ///
  /// - Returns: Its paths, for `commit(adding:removing:onto:)`; each is the first part of a file's path that is in the way.
  package func obstacles(to paths: [String], in commit: ObjectID) throws(GitError) -> [String] {
    let root = try rootTree(of: commit)
    var obstacles: Set<String> = []
    for path in paths {
      let parts = try Tree.parts(of: path)
      var id = root
      for (index, part) in parts.enumerated() {
        guard let entry = try Tree(id, in: handle)[part] else { break }
        if (entry.kind == .directory) == (index == parts.count - 1) {
          obstacles.insert(parts[...index].joined(separator: "/"))
          break
        }
        id = entry.id
      }
    }
    return obstacles.sorted()
  }

  /// Calls `body` for each file of a commit, directories in git's order.
  ///
  /// - Parameters:
  ///   - under: a directory to stay in; where there is none, there are no files.
  ///   - maximumDepth: a directory deeper than this is given to `body` as one irregular file.
  ///   - maximumCount: of files and directories together; `.tooLarge` past it.
  package func forEachFile(
    in commit: ObjectID, under: String? = nil, maximumDepth: Int = 6, maximumCount: Int = 1_000_000,
    _ body: (TreeFile) throws(GitError) -> Void
  ) throws(GitError) {
    let parts = try under.map { text throws(GitError) in try Tree.parts(of: text) } ?? []
    var root = try rootTree(of: commit)
    if !parts.isEmpty {
      guard let entry = try entry(at: parts, in: commit), entry.kind == .directory else { return }
      root = entry.id
    }
    var remaining = maximumCount
    try visit(root, path: under.map { $0 + "/" } ?? "", depth: parts.count + 1, maximumDepth, &remaining, body)
  }

  private func visit(
    _ id: ObjectID, path: String, depth: Int, _ maximumDepth: Int, _ remaining: inout Int,
    _ body: (TreeFile) throws(GitError) -> Void
  ) throws(GitError) {
    let tree = try Tree(id, in: handle)
    for index in 0..<tree.count {
      guard let entry = tree[index] else { continue }
      remaining -= 1
      guard remaining >= 0 else { throw GitError(.tooLarge, "more files than the limit", context: "tree \(id)") }
      let entryPath = path + entry.name
      switch entry.kind {
      case .directory where depth < maximumDepth && entryPath.utf8.count < TreeFile.maximumPathByteCount:
        try visit(entry.id, path: entryPath + "/", depth: depth + 1, maximumDepth, &remaining, body)
      case .directory, .file(.irregular):
        try body(TreeFile(path: entryPath, blob: entry.id, byteCount: 0, mode: .irregular))
      case .file(let mode):
        let byteCount = try byteCount(ofBlob: entry.id)
        try body(TreeFile(path: entryPath, blob: entry.id, byteCount: byteCount, mode: mode))
      }
    }
  }

  private func entry(at parts: [String], in commit: ObjectID) throws(GitError) -> TreeEntry? {
    var id = try rootTree(of: commit)
    for (index, part) in parts.enumerated() {
      guard let entry = try Tree(id, in: handle)[part] else { return nil }
      if index == parts.count - 1 { return entry }
      guard entry.kind == .directory else { return nil }
      id = entry.id
    }
    return nil
  }

  private func byteCount(ofBlob id: ObjectID) throws(GitError) -> Int {
    let database = try objectDatabase()
    defer { extendLifetime(database) }
    var raw = id.raw
    var byteCount = 0
    var type = GIT_OBJECT_INVALID
    try check(unsafe git_odb_read_header(&byteCount, &type, database.pointer, &raw), context: "blob \(id)")
    guard type == GIT_OBJECT_BLOB else { throw GitError(.otherKind, "is not a file's content", context: "blob \(id)") }
    return byteCount
  }

  func objectDatabase() throws(GitError) -> Handle {
    unsafe try Handle(context: path, git_odb_free) { [handle = handle.pointer] in
      unsafe git_repository_odb(&$0, handle)
    }
  }

  func lookUpCommit(_ id: ObjectID) throws(GitError) -> Handle {
    var raw = id.raw
    return unsafe try Handle(context: "commit \(id)", git_commit_free) { [handle = handle.pointer] in
      unsafe git_commit_lookup(&$0, handle, &raw)
    }
  }

  func rootTree(of commit: ObjectID) throws(GitError) -> ObjectID {
    let commit = try lookUpCommit(commit)
    defer { extendLifetime(commit) }
    guard let id = unsafe git_commit_tree_id(commit.pointer) else {
      throw GitError(.corrupt, "a commit without a tree", context: path)
    }
    return ObjectID(unsafe id.pointee)
  }
}
