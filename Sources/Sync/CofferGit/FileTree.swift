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
