internal import CGit2

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
