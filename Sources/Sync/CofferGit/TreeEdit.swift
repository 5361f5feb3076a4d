/// The changes of a commit, arranged as a tree of names: the node of each name holds the changes at and below its path.
struct TreeEdit {
  var children: [String: TreeEdit] = [:]
  /// The file to write at this path.
  private(set) var blob: ObjectID?
  /// Whether the file or directory at this path is removed before anything is written there.
  private(set) var isRemoved = false

  /// Whether the entries of the directory at this path are removed whose names cannot be used.
  private(set) var removesUnusableNames = false

  mutating func removeUnusableNames(in path: ArraySlice<String>) {
    guard let name = path.first else {
      removesUnusableNames = true
      return
    }
    children[name, default: TreeEdit()].removeUnusableNames(in: path.dropFirst())
  }

  mutating func remove(_ path: ArraySlice<String>) {
    guard let name = path.first else {
      isRemoved = true
      return
    }
    children[name, default: TreeEdit()].remove(path.dropFirst())
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
