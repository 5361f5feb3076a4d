internal import CGit2

extension Repository {
  /// Whether the history of `descendant` contains `ancestor`. A commit is its own ancestor.
  package func isAncestor(_ ancestor: ObjectID, of descendant: ObjectID) throws(GitError) -> Bool {
    if ancestor == descendant {
      _ = try lookUpCommit(ancestor)
      return true
    }
    var old = ancestor.raw
    var new = descendant.raw
    let result = unsafe git_graph_descendant_of(object.pointer, &new, &old)
    try check(result, context: "commit \(descendant)")
    return result == 1
  }

  /// Reads a file of a commit.
  ///
  /// - Parameters:
  ///   - path: The path from the root of the commit.
  ///   - commit: The commit.
  ///   - maximumByteCount: The largest accepted size of the file.
  /// - Returns: The content, or nil if no regular file exists at the path.
  /// - Throws: `GitError`: `.tooLarge`, before anything is read, if the file is larger than the limit.
  package func blob(at path: String, in commit: ObjectID, maximumByteCount: Int) throws(GitError) -> [UInt8]? {
    guard let entry = try entry(at: Tree.parts(of: path), in: commit) else { return nil }
    switch entry.kind {
    case .file(.regular), .file(.executable): return try blob(entry.id, maximumByteCount: maximumByteCount)
    default: return nil
    }
  }

  /// Reads a file by the identifier of its content, as `changes` returns it.
  ///
  /// - Parameters:
  ///   - id: The identifier.
  ///   - maximumByteCount: The largest accepted size.
  /// - Returns: The content.
  /// - Throws: `GitError`: `.tooLarge`, before anything is read, if it is larger than the limit.
  package func blob(_ id: ObjectID, maximumByteCount: Int) throws(GitError) -> [UInt8] {
    let byteCount = try byteCount(ofBlob: id)
    guard byteCount <= maximumByteCount else {
      throw GitError(.tooLarge, "\(byteCount) bytes, and the limit is \(maximumByteCount)", context: "blob \(id)")
    }
    var raw = id.raw
    let blob = unsafe try LibGit2Object.create(context: "blob \(id)", git_blob_free) {
      [repository = object.pointer] in
      unsafe git_blob_lookup(&$0, repository, &raw)
    }
    defer { extendLifetime(blob) }
    guard let start = unsafe git_blob_rawcontent(blob.pointer) else { return [] }
    // The size of the object in memory, not the size in its header, which a damaged object may misstate.
    let count = Int(unsafe git_blob_rawsize(blob.pointer))
    guard count == byteCount else {
      throw GitError(.corrupt, "has \(count) bytes instead of \(byteCount)", context: "blob \(id)")
    }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Finds the entries of a commit that prevent files from being added: a file at a path that needs a directory, and a
  /// directory at the path of a file.
  ///
  /// - Parameters:
  ///   - paths: The paths of the files to add.
  ///   - commit: The commit.
  /// - Returns: The paths to remove with `commit(adding:removing:onto:)`, each a path of `paths` or the beginning of
  ///   one.
  /// - Throws: `GitError` if a path is invalid or the commit cannot be read.
  package func obstacles(to paths: [String], in commit: ObjectID) throws(GitError) -> [String] {
    let root = try rootTree(of: commit)
    var obstacles: Set<String> = []
    for path in paths {
      let parts = try Tree.parts(of: path)
      var id = root
      for (index, part) in parts.enumerated() {
        guard let entry = try Tree.read(id, in: object)[part] else { break }
        if (entry.kind == .directory) == (index == parts.count - 1) {
          obstacles.insert(parts[...index].joined(separator: "/"))
          break
        }
        id = entry.id
      }
    }
    return obstacles.sorted()
  }

  private func entry(at parts: [String], in commit: ObjectID) throws(GitError) -> TreeEntry? {
    var id = try rootTree(of: commit)
    for (index, part) in parts.enumerated() {
      guard let entry = try Tree.read(id, in: object)[part] else { return nil }
      if index == parts.count - 1 { return entry }
      guard entry.kind == .directory else { return nil }
      id = entry.id
    }
    return nil
  }

  private func byteCount(ofBlob id: ObjectID) throws(GitError) -> Int {
    let database = unsafe try LibGit2Object.create(context: path, git_odb_free) { [repository = object.pointer] in
      unsafe git_repository_odb(&$0, repository)
    }
    defer { extendLifetime(database) }
    var raw = id.raw
    var byteCount = 0
    var type = GIT_OBJECT_INVALID
    try check(unsafe git_odb_read_header(&byteCount, &type, database.pointer, &raw), context: "blob \(id)")
    guard type == GIT_OBJECT_BLOB else {
      throw GitError(.otherKind, "is not the content of a file", context: "blob \(id)")
    }
    return byteCount
  }

  func lookUpCommit(_ id: ObjectID) throws(GitError) -> LibGit2Object {
    var raw = id.raw
    return unsafe try .create(context: "commit \(id)", git_commit_free) { [repository = object.pointer] in
      unsafe git_commit_lookup(&$0, repository, &raw)
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
