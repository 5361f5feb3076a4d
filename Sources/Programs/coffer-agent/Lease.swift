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

  /// A time in words: "10 minutes", "90 seconds".
  static func words(_ seconds: Int) -> String {
    let (count, unit) = seconds.isMultiple(of: 60) ? (seconds / 60, "minute") : (seconds, "second")
    return "\(count) \(unit)\(count == 1 ? "" : "s")"
  }

  func covers(_ lineage: ProcessLineage, at now: ContinuousClock.Instant) -> Bool { now < end && lineage.isBelow(root) }
}
