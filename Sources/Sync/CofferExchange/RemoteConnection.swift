internal import CofferGit
internal import CofferPlatform

/// The remote of a sync, the cache that has its objects, and what the transfers may cost.
struct RemoteConnection {
  let url: RemoteURL
  /// The cache.
  let repository: Repository
  let limits: TransferLimits
  let cancellation: Cancellation
  /// What carries the objects in a simulation; nil for a transfer by git's protocol.
  var link: (any RemoteLink)?

  /// Fetches what `selecting` chooses, as ``Repository/fetch(from:limits:cancellation:progress:selecting:)``.
  func fetch(
    progress: ((TransferProgress) -> Void)? = nil, selecting: ([String: ObjectID]) -> [String: String]
  ) throws(GitError) -> [String: ObjectID] {
    if let link { return try link.fetch(selecting: selecting) }
    return try repository.fetch(
      from: url, limits: limits, cancellation: cancellation, progress: progress, selecting: selecting)
  }

  /// Pushes a commit of the cache. The reference is the full name of the branch, which the remote may lack if
  /// `mayCreate`.
  func push(
    _ commit: ObjectID, to reference: String, mayCreate: Bool = true
  ) throws(GitError) -> PushOutcome {
    if let link { return try link.push(commit, to: reference, mayCreate: mayCreate) }
    return try repository.push(
      commit, to: reference, mayCreate: mayCreate, at: url, limits: limits, cancellation: cancellation)
  }

  /// Deletes the branches that still name the commits given for them.
  func removeReferences(_ expected: [String: ObjectID]) throws(GitError) {
    if let link { return try link.removeReferences(expected) }
    try repository.removeReferences(expected, at: url, limits: limits, cancellation: cancellation)
  }

  /// Waits before the attempt after `attempt`: full jitter, a random time up to a bound that doubles with each attempt.
  func wait(after attempt: Int) {
    if let link { return link.wait() }
    let bound = min(5_000, 50 << attempt)
    usleep(UInt32(Int.random(in: 0...bound)) * 1_000)
  }
}
