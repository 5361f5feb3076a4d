internal import CGit2
internal import CofferPlatform
internal import CofferSystem

/// A tree object, valid as long as its repository is open.
struct Tree: ~Copyable {
  let object: LibGit2Object

  private init(_ object: consuming LibGit2Object) {
    self.object = object
  }

  /// Reads a tree object of a repository, after a check of its size.
  static func read(_ id: ObjectID, in repository: borrowing LibGit2Object) throws(GitError) -> Tree {
    let context = "tree \(id)"
    _ = try ObjectHeader.read(
      id, GIT_OBJECT_TREE, maximumByteCount: ObjectHeader.maximumTreeByteCount, in: repository, context: context)
    var raw = id.raw
    return Tree(
      unsafe try .create(context: context, git_tree_free) { [repository = repository.pointer] in
        unsafe git_tree_lookup(&$0, repository, &raw)
      })
  }

  /// The number of entries.
  var count: Int { unsafe git_tree_entrycount(object.pointer) }

  /// The entry at a place in the order of the tree. A tree of a hostile host can have hundreds of thousands: they are
  /// read one at a time.
  subscript(index: Int) -> TreeEntry? {
    defer { extendLifetime(object) }
    return unsafe git_tree_entry_byindex(object.pointer, index).flatMap { unsafe Self.entry($0) }
  }

  /// All entries, in the order of the tree.
  var entries: [TreeEntry] { (0..<count).compactMap { self[$0] } }

  /// The entry with a name, also in a tree whose entries are out of order: libgit2 searches by halves.
  subscript(name: String) -> TreeEntry? {
    defer { extendLifetime(object) }
    if let entry = unsafe git_tree_entry_byname(object.pointer, name) { return unsafe Self.entry(entry) }
    for index in 0..<count {
      guard let entry = unsafe git_tree_entry_byindex(object.pointer, index),
        unsafe strcmp(git_tree_entry_name(entry), name) == 0
      else { continue }
      return unsafe Self.entry(entry)
    }
    return nil
  }

  /// Whether the entries are in git's order and no name is repeated.
  var isCanonical: Bool {
    var last: [UInt8]?
    for index in 0..<count {
      guard let key = self[index]?.orderingKey, last?.lexicographicallyPrecedes(key) ?? true else { return false }
      last = key
    }
    return true
  }

  private static func entry(_ entry: OpaquePointer) -> TreeEntry? {
    guard let name = unsafe git_tree_entry_name(entry), let id = unsafe git_tree_entry_id(entry) else { return nil }
    // Two different names that are not UTF-8 could be repaired into the same text.
    let isUsable = unsafe String(validatingCString: name).map(isUsableName) ?? false
    let text = unsafe String(cString: name)
    let kind: TreeEntry.Kind =
      switch (unsafe git_tree_entry_filemode(entry), isUsable) {
      case (GIT_FILEMODE_TREE, true): .directory
      case (GIT_FILEMODE_BLOB, true): .file(.regular)
      case (GIT_FILEMODE_BLOB_EXECUTABLE, true): .file(.executable)
      default: .file(.irregular)
      }
    return TreeEntry(name: text, id: ObjectID(unsafe id.pointee), kind: kind, isNameUsable: isUsable)
  }

  /// Whether git would check out a file or directory of this name on every system.
  static func isUsableName(_ name: String) -> Bool {
    guard !name.isEmpty, name != ".", name != "..", name.utf8.count <= 255 else { return false }
    if name.lowercased() == ".git" || name.lowercased() == "git~1" { return false }
    return name.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f && $0 != "/" && $0 != "\\" }
  }

  /// The longest path, in UTF-8 bytes.
  static let maximumPathByteCount = 4096

  /// Splits a path from the root of a commit into the names between the slashes, at least one. Throws `.rejected` if
  /// the path leaves the tree, or uses a name that git reserves.
  static func parts(of path: String) throws(GitError) -> [String] {
    let parts = FileTree.names(in: path)
    guard path.utf8.count <= maximumPathByteCount, parts.allSatisfy(isUsableName) else {
      throw GitError(.rejected, "not a path inside a repository", context: path.sanitizedForTerminal())
    }
    return parts
  }
}

/// One entry of a tree object.
struct TreeEntry {
  enum Kind: Hashable {
    case directory
    case file(FileMode)
  }

  let name: String
  let id: ObjectID
  let kind: Kind
  /// Whether git would check out a file of this name on every system. A name that is not UTF-8 is repaired and not
  /// usable.
  var isNameUsable = true

  /// The bytes by which git orders the entries of a tree: a directory counts as if its name ended with a slash.
  var orderingKey: [UInt8] { Array(name.utf8) + (kind == .directory ? [UInt8(ascii: "/")] : []) }
}

/// The kind of a file in a commit.
package enum FileMode: Sendable, Hashable {
  case regular
  case executable
  /// A symbolic link, a submodule, a directory deeper than the caller's limit, or a name that no path can express. It
  /// has no content that can be read.
  case irregular
}

/// The kind and the size of an object, which are read without its content.
///
/// A few bytes of a remote can inflate to gigabytes, so each object is checked before it is read.
struct ObjectHeader {
  let kind: git_object_t
  let byteCount: Int

  /// The largest directory, about 100,000 entries. A vault's directories have at most 64 files, or one entry per
  /// stream.
  static let maximumTreeByteCount = 8 << 20
  /// The largest commit. A vault's commits have less than 300 bytes; a host may add signatures.
  static let maximumCommitByteCount = 64 << 10

  static func read(
    _ id: ObjectID, in repository: borrowing LibGit2Object, context: String
  ) throws(GitError) -> ObjectHeader {
    let database = unsafe try LibGit2Object.create(context: context, git_odb_free) {
      [repository = repository.pointer] in
      unsafe git_repository_odb(&$0, repository)
    }
    defer { extendLifetime(database) }
    var raw = id.raw
    var byteCount = 0
    var kind = GIT_OBJECT_INVALID
    try check(unsafe git_odb_read_header(&byteCount, &kind, database.pointer, &raw), context: context)
    return ObjectHeader(kind: kind, byteCount: byteCount)
  }

  /// Throws `.otherKind` or `.tooLarge` unless the object is of a kind and not larger than a limit.
  static func read(
    _ id: ObjectID, _ kind: git_object_t, maximumByteCount: Int, in repository: borrowing LibGit2Object, context: String
  ) throws(GitError) -> ObjectHeader {
    let header = try read(id, in: repository, context: context)
    guard header.kind == kind else {
      let expected = kind == GIT_OBJECT_BLOB ? "the content of a file" : kind == GIT_OBJECT_TREE ? "a tree" : "a commit"
      throw GitError(.otherKind, "is not \(expected)", context: context)
    }
    guard header.byteCount <= maximumByteCount else {
      throw GitError(.tooLarge, "\(header.byteCount) bytes, and the limit is \(maximumByteCount)", context: context)
    }
    return header
  }
}
