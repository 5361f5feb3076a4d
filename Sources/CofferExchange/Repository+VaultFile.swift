internal import CofferGit
internal import CofferVault

extension Repository {
  /// Reads a small file of a commit; nil if it is missing, or at fault itself.
  func soundBlob(at path: String, in tip: ObjectID, maximumByteCount: Int = 4_096) throws(GitError) -> [UInt8]? {
    try GitError.ignoringFaults { () throws(GitError) in
      try blob(at: path, in: tip, maximumByteCount: maximumByteCount)
    } ?? nil
  }

  /// The number of earlier files that ``versions(of:in:maximumByteCount:)`` reads.
  static let versionLimit = 64

  /// Reads what a branch has at a path at the root and has had there, the content of `tip` first. An attacker with push access can
  /// replace a file; the history keeps it. A file of `maximumByteCount` or more is left out, and of earlier files
  /// ``versionLimit`` are read, the latest first.
  func versions(
    of path: String, in tip: ObjectID, maximumByteCount: Int = 4_096
  ) throws(GitError) -> [[UInt8]] {
    var versions = try soundBlob(at: path, in: tip, maximumByteCount: maximumByteCount).map { [$0] } ?? []
    for (_, content) in try formerFiles(of: tip, in: [path], maximumCount: Self.versionLimit) {
      let version = try GitError.ignoringFaults { () throws(GitError) in
        try blob(content, maximumByteCount: maximumByteCount)
      }
      if let version { versions.append(version) }
    }
    return versions
  }
}
