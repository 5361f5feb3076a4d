/// One entry of a tree object.
struct TreeEntry {
  enum Kind: Hashable {
    case directory
    case file(FileMode)
  }

  let name: String
  let id: ObjectID
  let kind: Kind
}
