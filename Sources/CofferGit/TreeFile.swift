/// A file in a commit.
package struct TreeFile: Sendable, Hashable {
  package enum Mode: Sendable, Hashable {
    case regular
    case executable
    /// A symbolic link, a submodule, a directory deeper than the caller's limit, or a name that no path can
    /// express. There is nothing to read.
    case irregular
  }

  /// From the root of the commit, with "/" between its parts. For an irregular name, what could be made of it.
  package let path: String
  package let blob: ObjectID
  /// 0 where it is irregular.
  package let byteCount: Int
  package let mode: Mode

  static let maximumPathByteCount = 4096
}

/// A path at which two commits differ.
package struct TreeChange: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case added
    case modified
    case deleted
    /// A file became irregular or executable, or the other way round.
    case typeChanged
  }

  package let path: String
  package let kind: Kind
  /// The file's content before; `nil` where it is new.
  package let old: ObjectID?
  /// The file's content after; `nil` where it is deleted.
  package let new: ObjectID?
  /// What is there after, or, where it is deleted, was there before.
  package let mode: TreeFile.Mode
}
