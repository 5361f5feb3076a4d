internal import CofferGit
internal import CofferVault

extension Repository {
  /// Reads a small file of a commit; nil if it is missing, or at fault itself.
  func soundBlob(at path: String, in tip: ObjectID, maximumByteCount: Int = 4_096) throws(GitError) -> [UInt8]? {
    do throws(GitError) {
      return try blob(at: path, in: tip, maximumByteCount: maximumByteCount)
    } catch {
      guard error.isFaultOfObject else { throw error }
      return nil
    }
  }

  /// The number of earlier files that ``versions(of:in:maximumByteCount:maximumCount:)`` reads.
  static let versionLimit = 64

  /// Reads what a branch has at a path at the root and has had there, the content of `tip` first. An attacker with push access can
  /// replace a file; the history keeps it. A file of `maximumByteCount` or more is left out, and of earlier files
  /// `maximumCount` are read, the latest first.
  func versions(
    of path: String, in tip: ObjectID, maximumByteCount: Int = 4_096, maximumCount: Int = versionLimit
  ) throws(GitError) -> [[UInt8]] {
    var versions = try soundBlob(at: path, in: tip, maximumByteCount: maximumByteCount).map { [$0] } ?? []
    for (_, content) in try formerFiles(of: tip, in: [path], maximumCount: maximumCount) {
      do throws(GitError) {
        versions.append(try blob(content, maximumByteCount: maximumByteCount))
      } catch {
        guard error.isFaultOfObject else { throw error }
      }
    }
    return versions
  }
}
