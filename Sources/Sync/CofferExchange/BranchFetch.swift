internal import CofferFormat
internal import CofferGit

/// Fetches the branches of several epochs. An attacker with push access can create branches that nobody can fetch: these are
/// left out, and keep no other one from it.
struct BranchFetch {
  private let connection: RemoteConnection
  private let progress: ((TransferProgress) -> Void)?
  /// The commits of the branches that were fetched.
  private(set) var tips: [EpochBranch: ObjectID] = [:]
  /// Why others were not.
  private(set) var faults: [(branch: EpochBranch, error: GitError)] = []

  init(from connection: RemoteConnection, progress: ((TransferProgress) -> Void)? = nil) {
    self.connection = connection
    self.progress = progress
  }

  /// Fetches branches in one transfer or, if one of them is at fault, in as few as find it. One that the remote does
  /// not have is left out. Throws the errors of git that are not the fault of a branch.
  mutating func run(_ branches: [EpochBranch]) throws(GitError) {
    guard !branches.isEmpty else { return }
    let names = branches.reduce(into: [:]) { $0[RemoteLayout.reference(of: $1)] = RemoteLayout.cached($1) }
    do throws(GitError) {
      let references = try connection.fetch(progress: progress) { _ in names }
      for branch in branches { tips[branch] = references[RemoteLayout.reference(of: branch)] }
    } catch {
      guard !connection.cancellation.isCancelled, error.isFaultOfReference else { throw error }
      guard branches.count > 1 else { return faults.append((branches[0], error)) }
      let middle = branches.count / 2
      try run(Array(branches[..<middle]))
      try run(Array(branches[middle...]))
    }
  }

  /// Removes the references to what was fetched from the cache: the negotiation of a fetch becomes slow with many of them.
  /// The objects stay.
  static func forget(in repository: Repository) {
    // One that stays is removed or set anew at a later sync.
    for name in (try? repository.references(below: RemoteLayout.cachedBranches).keys) ?? [:].keys {
      try? repository.setReference(RemoteLayout.cachedBranches + name.dropFirst("refs/heads/".count), to: nil)
    }
  }
}
