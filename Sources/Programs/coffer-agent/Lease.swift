internal import CofferFormat
internal import CofferSystem

/// The answer of a person that a process tree may use an access group.
struct Lease: Sendable {
  let folder: String
  let author: AuthorID
  let group: GroupID
  /// The name of the group, to show.
  let name: String
  /// The process at the top of the tree.
  let root: ProcessLineage.Member
  let end: ContinuousClock.Instant

  /// How long a lease holds: ten minutes.
  static let seconds = 600

  func covers(_ lineage: ProcessLineage, at now: ContinuousClock.Instant) -> Bool { now < end && lineage.isBelow(root) }
}
