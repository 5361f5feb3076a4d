/// The files that a commit is expected to have, by the identifiers of their contents. It is compared with a commit
/// without reading any object of its own.
package struct FileTree: Sendable {
  private(set) var files: [String: ObjectID] = [:]
  private(set) var folders: [String: FileTree] = [:]

  package init() {}

  /// Adds a regular file. A file or folder that was added at the same path is replaced.
  ///
  /// - Parameters:
  ///   - path: The path from the root, with "/" between its parts.
  ///   - content: The identifier of the file's content.
  package mutating func insert(_ path: String, _ content: ObjectID) {
    insert(path.split(separator: "/", omittingEmptySubsequences: false)[...], content)
  }

  private mutating func insert(_ parts: ArraySlice<Substring>, _ content: ObjectID) {
    guard let first = parts.first else { return }
    let name = String(first)
    if parts.count == 1 {
      folders[name] = nil
      files[name] = content
    } else {
      files[name] = nil
      folders[name, default: FileTree()].insert(parts.dropFirst(), content)
    }
  }
}
