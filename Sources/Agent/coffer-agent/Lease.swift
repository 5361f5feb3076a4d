internal import CofferAgent
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
  /// What it was given for. In such a tree, a lease to use values does not let it show them.
  let purpose: KeyPurpose
  let end: ContinuousClock.Instant

  init(
    of group: RegisteredGroup, as author: AuthorID, folder: String, for purpose: KeyPurpose, _ lineage: ProcessLineage,
    seconds: UInt32
  ) {
    self.folder = folder
    self.author = author
    self.group = group.id
    name = group.name.description
    root = lineage.root
    isForDeniedTree = lineage.deniesReads
    self.purpose = purpose
    end = ContinuousClock.now + .seconds(Int(seconds))
  }

  func covers(_ lineage: ProcessLineage, for purpose: KeyPurpose, at now: ContinuousClock.Instant) -> Bool {
    now < end && lineage.isBelow(root) && lineage.deniesReads == isForDeniedTree
      && (!isForDeniedTree || self.purpose == .show || purpose == .use)
  }
}
