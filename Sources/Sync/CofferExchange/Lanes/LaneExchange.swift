internal import CofferGit
internal import CofferVault
internal import Logging

/// What a sync writes to lanes: it leaves its segments in one if there is no room on the vault's branch, and deletes those
/// whose segments are all on the vault's branch.
struct LaneExchange: SyncPart {
  let session: SyncSession

  /// Leaves the outgoing segments in a new lane, unless they are all in lanes. Returns false if something else than
  /// segments is to be pushed, or if the host refuses the lane.
  func park(_ outgoing: OutgoingObjects, besides lanes: [LaneContents]) throws(GitError) -> Bool {
    guard let segments = outgoing.laneSegments else { return false }
    let parked = lanes.reduce(into: Set<LaneContents.SegmentPlace>()) { $0.formUnion($1.segments.keys) }
    guard !segments.isSubset(of: parked) else { return true }
    let lane = Lane.random()
    let commit = try connection.repository.commit(adding: outgoing.files, onto: nil)
    switch try connection.push(commit, to: lane.name) {
    case .accepted: return true
    case .rejected(let reason):
      logger.debug("the host refuses a lane", metadata: ["reason": "\(reason)"])
      return false
    }
  }

  /// Deletes the lanes whose segments are all on the vault's branch. A host may refuse it: such a lane does no harm.
  /// `existing` are the commits of all lanes of the remote, and `folded` those that are known as folded.
  func remove(_ lanes: [LaneContents], of existing: Set<ObjectID>, known folded: RememberedTips) throws {
    if !lanes.isEmpty {
      logger.debug("deleting lanes", metadata: ["count": "\(lanes.count)"])
      let names = Dictionary(lanes.map { ($0.lane.name, $0.tip) }) { first, _ in first }
      do throws(GitError) {
        try connection.removeReferences(names)
      } catch {
        // The next machine that has something to push tries it again.
        guard !connection.cancellation.isCancelled else { throw error }
        return logger.debug("deleting lanes failed", metadata: ["error": "\(error.message)"])
      }
    }
    try folded.adding(lanes.map(\.tip), keeping: existing).save(over: folded, in: local.store)
  }
}
