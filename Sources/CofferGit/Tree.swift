internal import CGit2
internal import CofferSystem

/// One entry of one tree object.
struct TreeEntry {
  enum Kind: Hashable {
    case directory
    case file(TreeFile.Mode)
  }

  let name: String
  let id: ObjectID
  let kind: Kind
}

/// A tree object. It keeps its repository alive by being used inside of one call only.
struct Tree: ~Copyable {
  let handle: Handle

  init(_ id: ObjectID, in repository: borrowing Handle) throws(GitError) {
    var raw = id.raw
    handle = unsafe try Handle(context: "tree \(id)", git_tree_free) { [repository = repository.pointer] in
      unsafe git_tree_lookup(&$0, repository, &raw)
    }
  }

  var count: Int { unsafe git_tree_entrycount(handle.pointer) }

  subscript(index: Int) -> TreeEntry? {
    defer { extendLifetime(handle) }
    return unsafe git_tree_entry_byindex(handle.pointer, index).flatMap { unsafe Self.entry($0) }
  }

  subscript(name: String) -> TreeEntry? {
    defer { extendLifetime(handle) }
    return unsafe git_tree_entry_byname(handle.pointer, name).flatMap { unsafe Self.entry($0) }
  }

  private static func entry(_ entry: OpaquePointer) -> TreeEntry? {
    guard let name = unsafe git_tree_entry_name(entry), let id = unsafe git_tree_entry_id(entry) else { return nil }
    // Without this, two names that are not UTF-8 could be repaired into the same path.
    let isUsable = unsafe String(validatingCString: name).map(isUsableName) ?? false
    let text = unsafe String(cString: name)
    let kind: TreeEntry.Kind =
      switch (unsafe git_tree_entry_filemode(entry), isUsable) {
      case (GIT_FILEMODE_TREE, true): .directory
      case (GIT_FILEMODE_BLOB, true): .file(.regular)
      case (GIT_FILEMODE_BLOB_EXECUTABLE, true): .file(.executable)
      default: .file(.irregular)
      }
    return TreeEntry(name: text, id: ObjectID(unsafe id.pointee), kind: kind)
  }

  /// Whether a part of a path is one that git would check out anywhere.
  static func isUsableName(_ name: String) -> Bool {
    guard !name.isEmpty, name != ".", name != "..", name.utf8.count <= 255 else { return false }
    if name.lowercased() == ".git" || name.lowercased() == "git~1" { return false }
    return name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f && $0 != "/" && $0 != "\\" }
  }

  /// The parts of a path; throws `.rejected` for one that leaves the tree or that git keeps for itself.
  static func parts(of path: String) throws(GitError) -> [String] {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard path.utf8.count <= TreeFile.maximumPathByteCount, parts.allSatisfy(isUsableName) else {
      throw GitError(.rejected, "not a path inside a repository", context: path.sanitizedForTerminal())
    }
    return parts
  }
}
