internal import CGit2

extension Repository {
  /// Writes a commit. It does not record who made it, when, or why.
  ///
  /// Only directories that change are written, as loose objects. A directory that becomes empty is removed. A directory
  /// at fault (see ``GitError/isFaultOfObject``) that needs a change is replaced by a new one.
  ///
  /// Files or whole directories in `removedPaths` are removed first; paths that do not exist are ignored. From each of
  /// `cleanedFolders`, "" for the root, entries are removed whose names cannot be used. The files of `parent`, nil for
  /// a root commit, are kept; a parent at fault has none. Throws `.rejected` for a path with "..", an empty part or
  /// ".git". Also throws it for a file that would replace a directory, or need one at the path of a file, which the
  /// same call does not remove. With `replacesObstacles`, it removes all of these.
  package func commit(
    adding files: [(path: String, bytes: [UInt8])], removing removedPaths: [String] = [],
    cleaning cleanedFolders: Set<String> = [], onto parent: ObjectID?, replacesObstacles: Bool = false
  ) throws(GitError) -> ObjectID {
    var edit = TreeEdit()
    if replacesObstacles, let parent {
      for path in try obstacles(to: files.map(\.path), in: parent) {
        edit[try Tree.parts(of: path)[...]].isRemoved = true
      }
    }
    for path in removedPaths { edit[try Tree.parts(of: path)[...]].isRemoved = true }
    for folder in cleanedFolders {
      let parts = folder.isEmpty ? [] : try Tree.parts(of: folder)
      edit[parts[...]].removesUnusableNames = true
    }
    for (path, bytes) in files { try add(path, try writeBlob(bytes, path: path), to: &edit) }
    return try commit(edit, onto: parent)
  }

  /// Writes a commit without a parent. Its files were written before, with ``writeFile(_:)``: so they need not be in
  /// memory together. Throws as ``commit(adding:removing:cleaning:onto:)``.
  package func commit(of files: [(path: String, content: ObjectID)]) throws(GitError) -> ObjectID {
    var edit = TreeEdit()
    for (path, content) in files { try add(path, content, to: &edit) }
    return try commit(edit, onto: nil)
  }

  private func commit(_ edit: TreeEdit, onto parent: ObjectID?) throws(GitError) -> ObjectID {
    var old: ObjectID?
    if let parent { old = try soundRootTree(of: parent) }
    if let tree = try write(edit, over: old, path: "") { return try writeCommit(tree: tree, parent: parent) }
    return try writeCommit(tree: write(TreeBuilder.make(from: nil, in: object)), parent: parent)
  }

  /// Writes the content of a file.
  package func writeFile(_ bytes: [UInt8]) throws(GitError) -> ObjectID { try writeBlob(bytes, path: path) }

  private func add(_ path: String, _ blob: ObjectID, to edit: inout TreeEdit) throws(GitError) {
    guard edit.add(try Tree.parts(of: path)[...], blob: blob) else {
      throw GitError(.rejected, "is both a file and a directory", context: path)
    }
  }

  private func writeBlob(_ bytes: [UInt8], path: String) throws(GitError) -> ObjectID {
    var raw = git_oid()
    // A repository in memory has no folder.
    if bytes.count > Self.comparedByteCount, referencesInMemory == nil {
      raw = try writeStoredBlob(bytes).raw
    } else {
      let result = unsafe bytes.withUnsafeBytes { buffer in
        unsafe git_blob_create_from_buffer(&raw, object.pointer, buffer.baseAddress, buffer.count)
      }
      try check(result, context: path)
    }
    recordWrittenBlob(ObjectID(raw), byteCount: bytes.count)
    return ObjectID(raw)
  }

  /// Applies an edit to a tree, nil for an empty one, and writes the result. Returns nil if that is empty. The path has
  /// a slash at its end and is empty for the root. Throws `.rejected` if a file and a directory are in each other's
  /// place.
  private func write(_ edit: TreeEdit, over old: ObjectID?, path: String) throws(GitError) -> ObjectID? {
    var source: Tree?
    if let old { source = try soundTree(old) }
    let isSound = source != nil
    let builder = try TreeBuilder.make(from: isSound ? old : nil, in: object)
    if edit.removesUnusableNames { builder.removeUnusableNames() }
    for (name, change) in edit.children.sorted(by: { $0.key < $1.key }) {
      let entryPath = path + name
      let existing = source?[name]
      if change.isRemoved, existing != nil { try builder.remove(name, context: entryPath) }
      let remaining = change.isRemoved ? nil : existing
      if let blob = change.blob {
        guard remaining?.kind != .directory else {
          throw GitError(.rejected, "a directory has this path; remove it first", context: entryPath)
        }
        try builder.insert(name, blob, GIT_FILEMODE_BLOB, context: entryPath)
      } else if !change.children.isEmpty || change.removesUnusableNames {
        if let remaining, remaining.kind != .directory {
          // Nothing can exist below a file, so there is nothing to remove.
          guard change.addsFiles else { continue }
          throw GitError(.rejected, "a file has this path; remove it first", context: entryPath)
        }
        guard remaining != nil || change.addsFiles else { continue }
        if let tree = try write(change, over: remaining?.id, path: entryPath + "/") {
          try builder.insert(name, tree, GIT_FILEMODE_TREE, context: entryPath)
        } else if remaining != nil {
          try builder.remove(name, context: entryPath)
        }
      }
    }
    return builder.count == 0 ? nil : try write(builder)
  }

  private func write(_ builder: borrowing TreeBuilder) throws(GitError) -> ObjectID {
    var id = git_oid()
    try check(unsafe git_treebuilder_write(&id, builder.object.pointer), context: path)
    return ObjectID(id)
  }

  private func writeCommit(tree: ObjectID, parent: ObjectID?) throws(GitError) -> ObjectID {
    var signature: UnsafeMutablePointer<git_signature>?
    try check(unsafe git_signature_new(&signature, "Coffer", "coffer@localhost", 0, 0), context: path)
    defer { unsafe git_signature_free(signature) }
    var id = git_oid()
    var tree = tree.raw
    var raw = parent?.raw ?? git_oid()
    // The content of the parent, which can be at fault, is not read.
    let result = unsafe withUnsafePointer(to: &raw) { pointer in
      var parents: [UnsafePointer<git_oid>?] = unsafe [pointer]
      return unsafe git_commit_create_from_ids(
        &id, object.pointer, nil, signature, signature, nil, "Sync\n", &tree, parent == nil ? 0 : 1, &parents)
    }
    try check(result, context: path)
    return ObjectID(id)
  }
}

/// The changes of a commit, arranged as a tree of names: the node of each name holds the changes at and below its path.
struct TreeEdit {
  var children: [String: TreeEdit] = [:]
  /// The file to write at this path.
  private(set) var blob: ObjectID?
  /// Whether the file or directory at this path is removed before anything is written there.
  var isRemoved = false

  /// Whether the entries of the directory at this path are removed whose names cannot be used.
  var removesUnusableNames = false

  /// The node at a path below this one.
  subscript(path: ArraySlice<String>) -> TreeEdit {
    get { path.first.map { (children[$0] ?? TreeEdit())[path.dropFirst()] } ?? self }
    set {
      guard let name = path.first else { return self = newValue }
      children[name, default: TreeEdit()][path.dropFirst()] = newValue
    }
  }

  /// Adds a file at a path below this node. Returns false if another addition needs a directory at this path, or a file
  /// at one of its directories.
  mutating func add(_ path: ArraySlice<String>, blob: ObjectID) -> Bool {
    guard let name = path.first else {
      guard !addsFiles || self.blob != nil else { return false }
      self.blob = blob
      return true
    }
    guard self.blob == nil else { return false }
    return children[name, default: TreeEdit()].add(path.dropFirst(), blob: blob)
  }

  /// Whether a file is written at or below this path.
  var addsFiles: Bool { blob != nil || children.values.contains(where: \.addsFiles) }
}

/// A tree that is being edited and has not been written.
struct TreeBuilder: ~Copyable {
  let object: LibGit2Object

  private init(_ object: consuming LibGit2Object) {
    self.object = object
  }

  /// Begins to edit a tree of a repository, or a new one if `id` is nil.
  static func make(from id: ObjectID?, in repository: borrowing LibGit2Object) throws(GitError) -> TreeBuilder {
    guard let id else {
      return TreeBuilder(
        unsafe try .create(context: "tree", git_treebuilder_free) { [repository = repository.pointer] in
          unsafe git_treebuilder_new(&$0, repository, nil)
        })
    }
    let tree = try Tree.read(id, in: repository)
    defer { extendLifetime(tree) }
    return TreeBuilder(
      unsafe try .create(context: "tree \(id)", git_treebuilder_free) {
        [repository = repository.pointer, tree = tree.object.pointer] in
        unsafe git_treebuilder_new(&$0, repository, tree)
      })
  }

  /// The number of entries.
  var count: Int { unsafe git_treebuilder_entrycount(object.pointer) }

  /// Removes the entries whose names git would not check out on every system, or that are not UTF-8.
  func removeUnusableNames() {
    _ = unsafe git_treebuilder_filter(
      object.pointer,
      { entry, _ in
        guard let name = unsafe git_tree_entry_name(entry) else { return 1 }
        return unsafe String(validatingCString: name).map(Tree.isUsableName) == true ? 0 : 1
      }, nil)
  }

  func remove(_ name: String, context: String) throws(GitError) {
    try check(unsafe git_treebuilder_remove(object.pointer, name), context: context)
  }

  /// Adds an entry, or replaces the one of the same name.
  func insert(_ name: String, _ id: ObjectID, _ mode: git_filemode_t, context: String) throws(GitError) {
    var raw = id.raw
    try check(unsafe git_treebuilder_insert(nil, object.pointer, name, &raw, mode), context: context)
  }
}
