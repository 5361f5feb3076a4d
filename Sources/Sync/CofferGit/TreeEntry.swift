/// One entry of a tree object.
struct TreeEntry {
  enum Kind: Hashable {
    case directory
    case file(FileMode)
  }

  let name: String
  let id: ObjectID
  let kind: Kind
  /// Whether git would check out a file of this name on every system. A name that is not UTF-8 is repaired and not usable.
  var isNameUsable = true

  /// The bytes by which git orders the entries of a tree: a directory counts as if its name ended with a slash.
  var orderingKey: [UInt8] { Array(name.utf8) + (kind == .directory ? [UInt8(ascii: "/")] : []) }
}
