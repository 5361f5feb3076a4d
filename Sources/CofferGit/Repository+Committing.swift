internal import CGit2

extension Repository {
  /// Writes a commit. It says nothing about who made it, when, or why.
  ///
  /// Only the directories that change are written, as loose objects; a directory left empty goes.
  ///
  /// - Parameters:
  ///   - adding: files, new or replaced. A file where a directory is, or below what is no directory, is refused
  ///     unless that is removed by the same call.
  ///   - removing: files or whole directories; what is not there is no error.
  ///   - parent: `nil` for a root commit of an otherwise empty tree.
  /// - Throws: `.rejected` for a path with "..", an empty part or ".git".
  package func commit(
    adding: [(path: String, bytes: [UInt8])], removing: [String] = [], onto parent: ObjectID?
  ) throws(GitError) -> ObjectID {
    var edit = TreeEdit()
    for path in removing {
      let parts = try Tree.parts(of: path)
      edit.remove(parts[...])
    }
    for (path, bytes) in adding {
      let parts = try Tree.parts(of: path)
      let blob = try writeBlob(bytes, path: path)
      guard edit.add(parts[...], blob: blob) else {
        throw GitError(.rejected, "is both a file and a directory", context: path)
      }
    }
    let old = try parent.map { id throws(GitError) in try rootTree(of: id) }
    if let tree = try write(edit, over: old, path: "") { return try writeCommit(tree: tree, parent: parent) }
    return try writeCommit(tree: try writeEmptyTree(), parent: parent)
  }

  private func writeBlob(_ bytes: [UInt8], path: String) throws(GitError) -> ObjectID {
    var id = git_oid()
    let result = unsafe bytes.withUnsafeBytes { buffer in
      unsafe git_blob_create_from_buffer(&id, handle.pointer, buffer.baseAddress, buffer.count)
    }
    try check(result, context: path)
    return ObjectID(id)
  }

  private func writeEmptyTree() throws(GitError) -> ObjectID {
    try write(TreeBuilder(in: handle, from: nil))
  }

  /// The new tree, or `nil` where nothing is left in it.
  private func write(_ edit: TreeEdit, over old: ObjectID?, path: String) throws(GitError) -> ObjectID? {
    var source: Tree?
    if let old { source = try Tree(old, in: handle) }
    let builder = try TreeBuilder(in: handle, from: old)
    for (name, change) in edit.children.sorted(by: { $0.key < $1.key }) {
      let entryPath = path + name
      let existing = source?[name]
      if change.isRemoved, existing != nil { try builder.remove(name, context: entryPath) }
      let there = change.isRemoved ? nil : existing
      if let blob = change.blob {
        guard there?.kind != .directory else {
          throw GitError(.rejected, "there is a directory; remove it first", context: entryPath)
        }
        try builder.insert(name, blob, GIT_FILEMODE_BLOB, context: entryPath)
      } else if !change.children.isEmpty {
        if let there, there.kind != .directory {
          // What lies below a file is not there, so its removal has nothing to do.
          guard change.addsFiles else { continue }
          throw GitError(.rejected, "there is a file and no directory; remove it first", context: entryPath)
        }
        guard there != nil || change.addsFiles else { continue }
        if let tree = try write(change, over: there?.id, path: entryPath + "/") {
          try builder.insert(name, tree, GIT_FILEMODE_TREE, context: entryPath)
        } else if there != nil {
          try builder.remove(name, context: entryPath)
        }
      }
    }
    return builder.count == 0 ? nil : try write(builder)
  }

  private func write(_ builder: borrowing TreeBuilder) throws(GitError) -> ObjectID {
    var id = git_oid()
    try check(unsafe git_treebuilder_write(&id, builder.handle.pointer), context: path)
    return ObjectID(id)
  }

  private func writeCommit(tree: ObjectID, parent: ObjectID?) throws(GitError) -> ObjectID {
    let tree = try Tree(tree, in: handle)
    var signature: UnsafeMutablePointer<git_signature>?
    try check(unsafe git_signature_new(&signature, "Coffer", "coffer@localhost", 0, 0), context: path)
    defer { unsafe git_signature_free(signature) }
    var id = git_oid()
    let result: Int32
    if let parent {
      let commit = try lookUpCommit(parent)
      var parents: [OpaquePointer?] = unsafe [commit.pointer]
      result = unsafe git_commit_create(
        &id, handle.pointer, nil, signature, signature, nil, "Sync\n", tree.handle.pointer, 1, &parents)
      extendLifetime(commit)
    } else {
      result = unsafe git_commit_create(
        &id, handle.pointer, nil, signature, signature, nil, "Sync\n", tree.handle.pointer, 0, nil)
    }
    extendLifetime(tree)
    try check(result, context: path)
    return ObjectID(id)
  }
}

/// A tree in the making.
private struct TreeBuilder: ~Copyable {
  let handle: Handle

  init(in repository: borrowing Handle, from id: ObjectID?) throws(GitError) {
    if let id {
      let tree = try Tree(id, in: repository)
      handle = unsafe try Handle(context: "tree \(id)", git_treebuilder_free) {
        [repository = repository.pointer, tree = tree.handle.pointer] in
        unsafe git_treebuilder_new(&$0, repository, tree)
      }
      extendLifetime(tree)
    } else {
      handle = unsafe try Handle(context: "tree", git_treebuilder_free) { [repository = repository.pointer] in
        unsafe git_treebuilder_new(&$0, repository, nil)
      }
    }
  }

  var count: Int { unsafe git_treebuilder_entrycount(handle.pointer) }

  func remove(_ name: String, context: String) throws(GitError) {
    try check(unsafe git_treebuilder_remove(handle.pointer, name), context: context)
  }

  func insert(_ name: String, _ id: ObjectID, _ mode: git_filemode_t, context: String) throws(GitError) {
    var raw = id.raw
    try check(unsafe git_treebuilder_insert(nil, handle.pointer, name, &raw, mode), context: context)
  }
}
