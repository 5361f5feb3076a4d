internal import CofferFormat
internal import CofferTrust

extension Author {
  /// The names of the groups that this author reads, in the order in which they are searched, each with the author's
  /// right.
  func groups(in membership: Membership) -> [(name: AccessGroupName, access: Entitlements.Access)] {
    switch role {
    case .admin:
      membership.groups.values.map { (name: $0.name, access: .readWrite) }
        .sorted { $0.name.description < $1.name.description }
    case .principal(let application, _, _):
      membership.apps[application]?.entitlements.groups.compactMap { group in
        guard !groupCuts.isEmpty || cut != nil || membership.isReadOnly(self) else {
          return (name: group.name, access: group.access)
        }
        let id = GroupID(vault: membership.vault, name: group.name.description)
        return membership.access(of: self, to: id).map { (name: group.name, access: $0) }
      } ?? []
    }
  }

  /// Returns those of these groups that have keys.
  func accessibleGroups(in membership: Membership, _ naming: TeamNaming) -> [AccessibleGroup] {
    groups(in: membership).compactMap { group in
      let name = group.name.description
      return membership.groups[GroupID(vault: membership.vault, name: name)].map {
        AccessibleGroup(registered: $0, access: group.access, name: naming.shown(name, of: membership.team))
      }
    }
  }
}
