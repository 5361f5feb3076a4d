/// A path at which two commits differ.
package struct TreeChange: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case added
    case modified
    case deleted
    /// A file changed its mode, for example from regular to irregular.
    case typeChanged
    /// A directory of the new commit cannot be read. Its files are listed as deleted.
    case unreadable(reason: String)
  }

  /// The path from the root of the commit, with "/" between its parts. A name that is not valid UTF-8 is repaired.
  package let path: String
  package let kind: Kind
  /// The object of the file before the change, or nil if it is new.
  package let old: ObjectID?
  /// The object of the file after the change, or nil if it was deleted.
  package let new: ObjectID?
  /// The mode after the change; the mode before it if the file was deleted.
  package let mode: FileMode
}
