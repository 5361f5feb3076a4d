package import CofferTrust

/// How a registration changes an app's access to groups.
package struct RightsChange: Hashable, Sendable {
  /// A group to which the access changes.
  package struct Group: Hashable, Sendable {
    package let name: AccessGroupName
    /// The access so far; nil for none.
    package let before: Entitlements.Access?
    /// The access from now on; nil for none.
    package let after: Entitlements.Access?

    /// Whether the app may do less than before.
    package var isLoss: Bool { before.map { before in after.map { $0 < before } ?? true } ?? false }
  }

  /// The groups in ascending order of name.
  package let groups: [Group]

  /// The groups in which the app may do more than before.
  package var gained: [Group] { groups.filter { !$0.isLoss } }
  /// The groups in which the app may do less than before.
  package var lost: [Group] { groups.filter(\.isLoss) }

  /// Creates the change from one registration, nil if the app has none, to the one that follows.
  package init(from earlier: Entitlements?, to later: Entitlements) {
    let names = Set((earlier?.groups ?? []).map(\.name)).union(later.groups.map(\.name))
    groups = names.sorted { $0.description < $1.description }.compactMap { name in
      let group = Group(name: name, before: earlier?.access(to: name), after: later.access(to: name))
      return group.before == group.after ? nil : group
    }
  }
}
