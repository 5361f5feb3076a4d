internal import CofferTrust

/// The groups of an author before the vault is unlocked.
struct LockedAccess: GroupAccess {
  let membership: Membership
  let author: Author
  let groups: [AccessibleGroup]
  let naming: TeamNaming

  init(_ author: Author, _ membership: Membership, _ naming: TeamNaming) {
    self.author = author
    self.membership = membership
    self.naming = naming
    groups = author.accessibleGroups(in: membership, naming)
  }
}
