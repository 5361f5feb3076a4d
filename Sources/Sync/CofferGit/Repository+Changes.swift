internal import CGit2

extension Repository {
  /// Lists the paths at which a commit differs from the files that it should have. Directories that are equal are not
  /// read.
  ///
  /// A directory of the commit that is at fault itself (see ``GitError/isFaultOfObject``) is listed as unreadable and
  /// counts as empty. A renamed file is a deletion and an addition. The order is that of the commit's tree, with the
  /// deletions of each directory last.
  ///
  /// Only `maximumDepth` levels of directories are read, of which only those that `descends` accepts: any other
  /// directory counts as one irregular file. At most `maximumCount` files and directories are read, with names of at
  /// most 128 bytes on average; directories that exceed it are listed as unreadable.
  package func changes(
    from expected: FileTree, to commit: ObjectID, maximumDepth: Int = 6, maximumCount: Int = 500_000,
    descends: @escaping (_ path: String) -> Bool = { _ in true }
  ) throws(GitError) -> [TreeChange] {
    let expected = try IdentifiedTree.make(from: expected)
    var comparison = Comparison(
      maximumDepth: maximumDepth, descends: descends, remaining: maximumCount, remainingByteCount: maximumCount * 128)
    try compare(expected, try rootTree(of: commit), path: "", depth: 1, &comparison)
    return comparison.changes
  }

  private struct Comparison {
    let maximumDepth: Int
    let descends: (String) -> Bool
    var remaining: Int
    var remainingByteCount: Int
    var changes: [TreeChange] = []

    mutating func add(_ path: String, in folder: String, old: TreeEntry?, new: TreeEntry?) {
      let kind: TreeChange.Kind =
        switch (old, new) {
        case (nil, _): .added
        case (_, nil): .deleted
        case (let old?, let new?): old.kind == new.kind ? .modified : .typeChanged
        }
      var mode = FileMode.irregular
      if case .file(let fileMode)? = (new ?? old)?.kind { mode = fileMode }
      let isUsable = new?.isNameUsable ?? true
      changes.append(
        TreeChange(
          path: path, kind: kind, content: new?.id, mode: mode,
          folderOfUnusableName: isUsable ? nil : Self.withoutSlash(folder)))
    }

    mutating func add(_ kind: TreeChange.Kind, ofFolder path: String) {
      changes.append(TreeChange(path: Self.withoutSlash(path), kind: kind, content: nil, mode: .irregular))
    }

    /// Removes the slash at the end of a folder's path.
    private static func withoutSlash(_ path: String) -> String {
      path.utf8.last == UInt8(ascii: "/") ? String(Substring(path.utf8.dropLast())) : path
    }
  }

  private func compare(
    _ expected: IdentifiedTree?, _ found: ObjectID?, path: String, depth: Int, _ comparison: inout Comparison
  ) throws(GitError) {
    if expected?.id == found { return }
    // The entries of a hostile tree may be out of order, so they are looked up by name and not merged in order.
    var remaining = expected?.entries ?? [:]
    let entries = try entries(found, &comparison)
    if case .failure(let fault) = entries { comparison.add(.unreadable(fault), ofFolder: path) }
    if let found, case .success = entries, try !tree(found).isCanonical {
      comparison.add(.disordered, ofFolder: path)
    }
    for entry in entries.get(orElse: []) {
      let old = remaining.removeValue(forKey: entry.name)
      try compare(
        old, expected?.folders[entry.name], entry, path: path + entry.name, in: path, depth: depth, &comparison)
    }
    for entry in remaining.values.sorted(by: { $0.name < $1.name }) {
      try compare(
        entry, expected?.folders[entry.name], nil, path: path + entry.name, in: path, depth: depth, &comparison)
    }
  }

  private func compare(
    _ old: TreeEntry?, _ oldFolder: IdentifiedTree?, _ new: TreeEntry?, path: String, in folder: String, depth: Int,
    _ comparison: inout Comparison
  ) throws(GitError) {
    if let old, let new, old.id == new.id, old.kind == new.kind { return }
    let mayDescend =
      depth < comparison.maximumDepth && path.utf8.count < Tree.maximumPathByteCount && comparison.descends(path)
    let newTree = mayDescend && new?.kind == .directory ? new?.id : nil
    let oldFile = old?.kind == .directory ? nil : old
    let newFile = newTree == nil ? new : nil
    if oldFile != nil || newFile != nil {
      comparison.add(path, in: folder, old: oldFile, new: newFile)
    }
    try compare(
      old?.kind == .directory ? oldFolder : nil, newTree, path: path + "/", depth: depth + 1, &comparison)
  }

  /// Returns the entries of a tree, or its fault.
  private func entries(
    _ id: ObjectID?, _ comparison: inout Comparison
  ) throws(GitError) -> Result<[TreeEntry], GitError> {
    guard let id else { return .success([]) }
    let found: [TreeEntry]
    do throws(GitError) {
      found = try tree(id).entries
    } catch {
      guard error.isFaultOfObject else { throw error }
      return .failure(error)
    }
    comparison.remaining -= found.count
    comparison.remainingByteCount -= found.reduce(0) { $0 + $1.name.utf8.count }
    guard comparison.remaining >= 0, comparison.remainingByteCount >= 0 else {
      return .failure(GitError(.unreadable, "there are more files than this machine reads", context: "tree \(id)"))
    }
    return .success(found)
  }
}

extension Result {
  fileprivate func get(orElse value: Success) -> Success {
    if case .success(let success) = self { success } else { value }
  }
}

/// A path at which a commit differs from the files that it should have.
package struct TreeChange: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case added
    case modified
    case deleted
    /// A file changed its mode, for example from regular to irregular.
    case typeChanged
    /// A directory of the commit cannot be read, or not all of it. Its files are listed as deleted.
    case unreadable(GitError)
    /// The entries of a directory are out of order, or names are repeated in it.
    case disordered
  }

  /// The path from the root of the commit, with "/" between its parts. A name that is not valid UTF-8 is repaired.
  package let path: String
  package let kind: Kind
  /// The content of the file in the commit, or nil if it was deleted.
  package let content: ObjectID?
  /// The mode in the commit; the expected mode if the file was deleted.
  package let mode: FileMode
  /// Nil if git would check out a file of this name on every system. Otherwise the path of its directory, "" for the
  /// root: a name that cannot be used may contain a slash itself.
  package internal(set) var folderOfUnusableName: String?
}

/// The files that a commit is expected to have, by the identifiers of their contents. It is compared with a commit
/// without reading any object of its own.
package struct FileTree: Sendable {
  private(set) var files: [String: ObjectID] = [:]
  private(set) var folders: [String: FileTree] = [:]

  package init() {}

  /// Adds a regular file, by its path from the root with "/" between its parts and the identifier of its content. A
  /// file or folder that was added at the same path is replaced.
  package mutating func insert(_ path: String, _ content: ObjectID) {
    insert(Self.names(in: path)[...], content)
  }

  /// Splits a path at its slashes. By bytes, because a slash and a combining mark after it are one `Character`.
  package static func names(in path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { String(Substring($0)) }
  }

  private mutating func insert(_ parts: ArraySlice<String>, _ content: ObjectID) {
    guard let name = parts.first else { return }
    if parts.count == 1 {
      folders[name] = nil
      files[name] = content
    } else {
      files[name] = nil
      folders[name, default: FileTree()].insert(parts.dropFirst(), content)
    }
  }
}

/// A ``FileTree`` with the identifiers of its folders, as git computes them.
struct IdentifiedTree {
  let id: ObjectID
  let entries: [String: TreeEntry]
  let folders: [String: IdentifiedTree]

  /// Computes the identifiers of a tree. A folder without files has none.
  static func make(from tree: FileTree) throws(GitError) -> IdentifiedTree? {
    var entries: [String: TreeEntry] = [:]
    var folders: [String: IdentifiedTree] = [:]
    for (name, id) in tree.files { entries[name] = TreeEntry(name: name, id: id, kind: .file(.regular)) }
    for (name, folder) in tree.folders {
      guard let folder = try make(from: folder) else { continue }
      entries[name] = TreeEntry(name: name, id: folder.id, kind: .directory)
      folders[name] = folder
    }
    guard !entries.isEmpty else { return nil }
    return IdentifiedTree(
      id: try ObjectID.hash(content(of: Array(entries.values)), as: GIT_OBJECT_TREE), entries: entries,
      folders: folders)
  }

  /// The content of a tree object: for each entry the mode, the name and the identifier. git orders a folder as if its
  /// name ended with a slash.
  private static func content(of entries: [TreeEntry]) -> [UInt8] {
    let sorted = entries.map { (key: $0.orderingKey, $0) }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(sorted.count * 40)
    for (_, entry) in sorted {
      bytes += (entry.kind == .directory ? "40000 " : "100644 ").utf8
      bytes += entry.name.utf8
      bytes.append(0)
      bytes += entry.id.bytes
    }
    return bytes
  }
}
