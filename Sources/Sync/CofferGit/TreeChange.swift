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
  /// Nil if git would check out a file of this name on every system. Otherwise the path of its directory, "" for the root:
  /// a name that cannot be used may contain a slash itself.
  package let folderOfUnusableName: String?

  init(path: String, kind: Kind, content: ObjectID?, mode: FileMode, folderOfUnusableName: String? = nil) {
    self.path = path
    self.kind = kind
    self.content = content
    self.mode = mode
    self.folderOfUnusableName = folderOfUnusableName
  }
}
