package import CofferFormat

extension Membership {
  /// Returns the strictest requirement of the groups in an app's entitlements, with the first of them that has it; nil if
  /// none of them requires anything.
  package func requirement(
    of entitlements: Entitlements
  ) -> (requirement: GroupRequirement, group: AccessGroupName)? {
    let registered = entitlements.groups.compactMap { groups[GroupID(vault: vault, name: $0.name.description)] }
    guard let strictest = registered.map(\.requirement.rawValue).max(), strictest > 0 else { return nil }
    return registered.first { $0.requirement.rawValue == strictest }.map { ($0.requirement, $0.name) }
  }
}
