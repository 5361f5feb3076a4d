internal import CofferTrust

/// The groups of an author before the vault is unlocked.
struct LockedAccess: GroupAccess {
  let membership: Membership
  let author: Author
  let groups: [AccessibleGroup]
  let isInMemory: Bool

  init(_ author: Author, _ membership: Membership, isInMemory: Bool) {
    self.author = author
    self.membership = membership
    self.isInMemory = isInMemory
    groups = author.accessibleGroups(in: membership)
  }
}
