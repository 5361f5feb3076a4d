internal import CGit2

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
