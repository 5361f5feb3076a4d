internal import CofferGit
internal import CofferVault

extension Repository {
  /// Reads a small file of a commit; nil if it is missing, or at fault itself.
  func soundBlob(at path: String, in tip: ObjectID, maximumByteCount: Int = 4_096) throws(GitError) -> [UInt8]? {
    try GitError.ignoringFaults { () throws(GitError) in
      try blob(at: path, in: tip, maximumByteCount: maximumByteCount)
    } ?? nil
  }

  /// The files at the root that a branch begins with.
  private static let rootFiles = [
    RemoteLayout.Place.genesis.path, RemoteLayout.Place.rootSlot.path, RemoteLayout.opened,
  ]

  /// Returns the first of the files that a branch has at a path at the root, and has had there, which `body` accepts:
  /// that of `tip` first, then the latest. An attacker with push access can replace a file; the history keeps it,
  /// behind any number of others. Files larger than `maximumByteCount` are left out. Branches that share a history
  /// share the cost.
  func firstVersion<Found>(
    of path: String, in tip: ObjectID, maximumByteCount: Int = 4_096, _ body: ([UInt8]) throws -> Found?
  ) throws -> Found? {
    if let file = try soundBlob(at: path, in: tip, maximumByteCount: maximumByteCount), let found = try body(file) {
      return found
    }
    for content in try contents(of: path, among: Self.rootFiles, in: tip) {
      if let file = try file(content, among: Self.rootFiles, maximumByteCount: maximumByteCount),
        let found = try body(file)
      {
        return found
      }
    }
    return nil
  }
}
