internal import CofferFormat
internal import CofferSystem
internal import CofferTrust

/// The answer of a person that a process tree may use an access group.
struct Lease: Sendable {
  let folder: String
  let author: AuthorID
  let group: GroupID
  /// The name of the group, to show.
  let name: String
  /// The process at the top of the tree.
  let root: ProcessLineage.Member
  /// Whether that is a tree that `coffer run --deny-reads` has started. It does not have the leases of the tree around it,
  /// which a person has given for other programs.
  let isForDeniedTree: Bool
  let end: ContinuousClock.Instant

  init(of group: RegisteredGroup, as author: AuthorID, folder: String, _ lineage: ProcessLineage, seconds: UInt32) {
    self.folder = folder
    self.author = author
    self.group = group.id
    name = group.name.description
    root = lineage.root
    isForDeniedTree = lineage.deniesReads
    end = ContinuousClock.now + .seconds(Int(seconds))
  }

  func covers(_ lineage: ProcessLineage, at now: ContinuousClock.Instant) -> Bool {
    now < end && lineage.isBelow(root) && lineage.deniesReads == isForDeniedTree
  }
}
