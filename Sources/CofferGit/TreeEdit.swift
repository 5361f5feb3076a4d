/// What is to change in a tree, as a tree of names.
struct TreeEdit {
  var children: [String: TreeEdit] = [:]
  /// The file that is to be here.
  private(set) var blob: ObjectID?
  /// What is here now goes first.
  private(set) var isRemoved = false

  mutating func remove(_ path: ArraySlice<String>) {
    guard let name = path.first else {
      isRemoved = true
      return
    }
    children[name, default: TreeEdit()].remove(path.dropFirst())
  }

  /// `false` where another addition makes a directory of this file, or a file of one of its directories.
  mutating func add(_ path: ArraySlice<String>, blob: ObjectID) -> Bool {
    guard let name = path.first else {
      guard !addsFiles || self.blob != nil else { return false }
      self.blob = blob
      return true
    }
    guard self.blob == nil else { return false }
    return children[name, default: TreeEdit()].add(path.dropFirst(), blob: blob)
  }

  var addsFiles: Bool { blob != nil || children.values.contains(where: \.addsFiles) }
}
