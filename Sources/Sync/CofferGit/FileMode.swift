/// The kind of a file in a commit.
package enum FileMode: Sendable, Hashable {
  case regular
  case executable
  /// A symbolic link, a submodule, a directory deeper than the caller's limit, or a name that no path can express. It
  /// has no content that can be read.
  case irregular
}
