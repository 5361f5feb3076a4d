internal import CGit2

extension Repository {
  /// Whether the history of `descendant` contains `ancestor`. A commit is its own ancestor. A commit of the history
  /// that is at fault itself (see ``GitError/isFaultOfObject``) counts as one without parents.
  package func isAncestor(_ ancestor: ObjectID, of descendant: ObjectID) throws(GitError) -> Bool {
    _ = try lookUpCommit(descendant)
    var found = false
    try forEachCommit(in: descendant) { (id, _) throws(GitError) in
      found = id == ancestor
      return !found
    }
    return found
  }

  /// Returns why a commit of the remote cannot be read; nil if it can.
  package func fault(of commit: ObjectID) throws(GitError) -> GitError? {
    do throws(GitError) {
      _ = try lookUpCommit(commit)
      return nil
    } catch {
      guard error.isFaultOfObject else { throw error }
      return error
    }
  }

  /// Whether a commit of a history is at fault, so that a part of the history is hidden.
  package func hidesHistory(_ commit: ObjectID) throws(GitError) -> Bool {
    var hides = false
    try forEachCommit(in: commit) { (_, fault) throws(GitError) in
      hides = fault != nil
      return !hides
    }
    return hides
  }

  /// Calls `body` for the commits of a history, the nearest first, until it returns false. It receives the error of a
  /// commit at fault.
  func forEachCommit(
    in commit: ObjectID, _ body: (ObjectID, GitError?) throws(GitError) -> Bool
  ) throws(GitError) {
    var known: Set = [commit]
    var generation = [commit]
    while !generation.isEmpty {
      var next: [ObjectID] = []
      for id in generation {
        var parents: [ObjectID] = []
        var fault: GitError?
        do throws(GitError) {
          parents = try self.parents(of: id)
        } catch {
          guard error.isFaultOfObject else { throw error }
          fault = error
        }
        guard try body(id, fault) else { return }
        next += parents.filter { known.insert($0).inserted }
      }
      generation = next
    }
  }

  /// Reads a file of a commit. Returns nil if no regular file exists at the path. Throws `.tooLarge`, before anything
  /// is read, if the file is larger than the limit.
  package func blob(at path: String, in commit: ObjectID, maximumByteCount: Int) throws(GitError) -> [UInt8]? {
    guard let entry = try entry(at: Tree.parts(of: path), in: commit) else { return nil }
    switch entry.kind {
    case .file(.regular), .file(.executable): return try blob(entry.id, maximumByteCount: maximumByteCount)
    default: return nil
    }
  }

  /// Whether a commit has a file or a directory at a path. One at fault has nothing.
  package func hasEntry(at path: String, in commit: ObjectID) throws(GitError) -> Bool {
    try GitError.ignoringFaults { () throws(GitError) in
      try entry(at: Tree.parts(of: path), in: commit) != nil
    } ?? false
  }

  /// Returns the commit that added a file which a commit has: following the first parents, the last one that has it.
  /// Returns nil if `commit` has nothing at the path.
  package func commit(thatAdded path: String, to commit: ObjectID) throws(GitError) -> ObjectID? {
    guard try hasEntry(at: path, in: commit) else { return nil }
    var earliest = commit
    while let parent = try soundParents(of: earliest).first, try hasEntry(at: path, in: parent) { earliest = parent }
    return earliest
  }

  package func hasParents(_ commit: ObjectID) throws(GitError) -> Bool { try !parents(of: commit).isEmpty }

  /// Returns the parents of a commit; none of one at fault.
  func soundParents(of commit: ObjectID) throws(GitError) -> [ObjectID] {
    try GitError.ignoringFaults { () throws(GitError) in try parents(of: commit) } ?? []
  }

  /// Reads a file by the identifier of its content, as `changes` returns it. Throws `.tooLarge`, before anything is
  /// read, if it is larger than the limit.
  package func blob(_ id: ObjectID, maximumByteCount: Int) throws(GitError) -> [UInt8] {
    try blamingRemote { () throws(GitError) in try readBlob(id, maximumByteCount: maximumByteCount) }
  }

  /// Reads the size of a file, and nothing else of it.
  package func blobByteCount(_ id: ObjectID) throws(GitError) -> Int {
    try blamingRemote { () throws(GitError) in
      try ObjectHeader.read(id, GIT_OBJECT_BLOB, maximumByteCount: .max, in: object, context: "blob \(id)").byteCount
    }
  }

  private func readBlob(_ id: ObjectID, maximumByteCount: Int) throws(GitError) -> [UInt8] {
    let context = "blob \(id)"
    let header = try ObjectHeader.read(
      id, GIT_OBJECT_BLOB, maximumByteCount: maximumByteCount, in: object, context: context)
    var raw = id.raw
    let blob = unsafe try LibGit2Object.create(context: context, git_blob_free) {
      [repository = object.pointer] in
      unsafe git_blob_lookup(&$0, repository, &raw)
    }
    defer { extendLifetime(blob) }
    guard let start = unsafe git_blob_rawcontent(blob.pointer) else { return [] }
    // The size of the object in memory, not the size in its header, which a damaged object may misstate.
    let count = Int(unsafe git_blob_rawsize(blob.pointer))
    guard count == header.byteCount else {
      throw GitError(.corrupt, "has \(count) bytes instead of \(header.byteCount)", context: context)
    }
    return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Finds the entries of a commit that prevent files from being added: a file at a path that needs a directory, and a
  /// directory at the path of a file. A directory that is at fault itself is none: a commit replaces it. Each is a path
  /// of `paths` or the beginning of one, to be removed with `commit(adding:removing:onto:)`.
  package func obstacles(to paths: [String], in commit: ObjectID) throws(GitError) -> [String] {
    guard let root = try soundRootTree(of: commit) else { return [] }
    var obstacles: Set<String> = []
    for path in paths {
      let parts = try Tree.parts(of: path)
      var id = root
      for (index, part) in parts.enumerated() {
        guard let entry = try soundTree(id)?[part] else { break }
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
      guard let entry = try tree(id)[part] else { return nil }
      if index == parts.count - 1 { return entry }
      guard entry.kind == .directory else { return nil }
      id = entry.id
    }
    return nil
  }

  /// Calls `body`, and translates its error if an object cannot be read in a repository that is new.
  private func blamingRemote<Value: ~Copyable>(_ body: () throws(GitError) -> Value) throws(GitError) -> Value {
    do throws(GitError) {
      return try body()
    } catch {
      guard isNew, error.code == .corrupt else { throw error }
      throw GitError(.unreadable, error.message, context: error.context)
    }
  }

  func tree(_ id: ObjectID) throws(GitError) -> Tree {
    try blamingRemote { () throws(GitError) in try Tree.read(id, in: object) }
  }

  /// Reads a tree. Returns nil if it is at fault itself.
  func soundTree(_ id: ObjectID) throws(GitError) -> Tree? {
    try GitError.ignoringFaults { () throws(GitError) in try tree(id) }
  }

  /// Reads a commit, after a check of its size.
  func lookUpCommit(_ id: ObjectID) throws(GitError) -> LibGit2Object {
    try blamingRemote { () throws(GitError) in
      let context = "commit \(id)"
      _ = try ObjectHeader.read(
        id, GIT_OBJECT_COMMIT, maximumByteCount: ObjectHeader.maximumCommitByteCount, in: object, context: context)
      var raw = id.raw
      return unsafe try .create(context: context, git_commit_free) { [repository = object.pointer] in
        unsafe git_commit_lookup(&$0, repository, &raw)
      }
    }
  }

  /// Whether the repository has the content of a file with this identifier, of any size.
  package func isBlob(_ id: ObjectID) throws(GitError) -> Bool { try kind(of: id) == GIT_OBJECT_BLOB }

  package func isCommit(_ id: ObjectID) throws(GitError) -> Bool { try kind(of: id) == GIT_OBJECT_COMMIT }

  /// Returns the kind of an object; nil if the repository does not have it.
  private func kind(of id: ObjectID) throws(GitError) -> git_object_t? {
    do throws(GitError) {
      return try ObjectHeader.read(id, in: object, context: "object \(id)").kind
    } catch {
      guard error.code == .corrupt else { throw error }
      return nil
    }
  }

  func parents(of id: ObjectID) throws(GitError) -> [ObjectID] {
    let commit = try lookUpCommit(id)
    defer { extendLifetime(commit) }
    var parents: [ObjectID] = []
    for index in 0..<(unsafe git_commit_parentcount(commit.pointer)) {
      if let parent = unsafe git_commit_parent_id(commit.pointer, index) {
        parents.append(ObjectID(unsafe parent.pointee))
      }
    }
    return parents
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
