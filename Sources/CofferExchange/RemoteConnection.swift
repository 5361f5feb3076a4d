internal import CofferGit

/// The remote of a sync, the cache that has its objects, and what the transfers may cost.
struct RemoteConnection {
  let url: RemoteURL
  /// The cache.
  let repository: Repository
  let limits: TransferLimits
  let cancellation: Cancellation

  /// Fetches what `selecting` chooses, as ``Repository/fetch(from:limits:cancellation:progress:selecting:)``.
  func fetch(
    progress: ((TransferProgress) -> Void)? = nil, selecting: ([String: ObjectID]) -> [String: String]
  ) throws(GitError) -> [String: ObjectID] {
    try repository.fetch(
      from: url, limits: limits, cancellation: cancellation, progress: progress, selecting: selecting)
  }

  /// Pushes a commit of the cache. The reference is the full name of the branch, which the remote may lack if
  /// `mayCreate`.
  func push(
    _ commit: ObjectID, to reference: String, mayCreate: Bool = true
  ) throws(GitError) -> PushOutcome {
    try repository.push(
      commit, to: reference, mayCreate: mayCreate, at: url, limits: limits, cancellation: cancellation)
  }

  /// Deletes the branches that still name the commits given for them.
  func removeReferences(_ expected: [String: ObjectID]) throws(GitError) {
    try repository.removeReferences(expected, at: url, limits: limits, cancellation: cancellation)
  }
}
