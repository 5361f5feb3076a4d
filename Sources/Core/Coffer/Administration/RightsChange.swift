package import CofferFormat
package import CofferTrust
internal import CofferVault

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

/// What the registration of an app's plist does.
package struct RegistrationPreview: Hashable, Sendable {
  package let application: ApplicationID
  /// What the app may do more or less than before.
  package let change: RightsChange
  /// The access groups that get new keys, because the app may not read them any more.
  package let renewedGroups: [AccessGroupName]
  /// The number of items in these groups, whose values the app may know.
  package let itemCount: Int
}

/// The end of an app's rights in some of its groups: on every machine, its principals lose what its next registration
/// does not give any more.
struct AppNarrowing {
  /// The principals that lose something, in ascending order.
  let authors: [RevocationStatement.CutAuthor]

  /// Takes the groups in which the app may do less than before, and the membership before the change.
  init(of application: ApplicationID, losing lost: [RightsChange.Group], in membership: Membership) {
    authors = membership.holders(of: application).sorted().compactMap { holder in
      guard let author = membership.authors[holder] else { return nil }
      let groups = lost.compactMap { group -> RevocationStatement.LostGroup? in
        let id = GroupID(vault: membership.vault, name: group.name.description)
        // A principal that an earlier revocation has cut off keeps less than the registration gave.
        guard let remaining = membership.access(of: author, to: id), group.after.map({ $0 < remaining }) ?? true else {
          return nil
        }
        return RevocationStatement.LostGroup(group: id, keepsReading: group.after != nil)
      }
      return groups.isEmpty ? nil : RevocationStatement.CutAuthor(author: holder, groups: groups)
    }
  }

  /// Whether a record was written by one of the principals into a group that it loses.
  func contains(_ record: CountedRecord) -> Bool {
    authors.contains { cut in
      cut.author == record.author && cut.groups?.contains { $0.group == record.group } == true
    }
  }
}

extension Membership {
  /// Whether a principal may do all that its app's registration allows. One that a revocation has cut off from a group
  /// never gets it back: the app then needs a new principal.
  package func hasAllRights(_ author: Author) -> Bool {
    guard author.cut == nil, case .principal(let application, _, _) = author.role, let app = apps[application] else {
      return false
    }
    return app.entitlements.groups.allSatisfy { group in
      let id = GroupID(vault: vault, name: group.name.description)
      let access = access(of: author, to: id)
      return groups[id] == nil || access == group.access || isReadOnly(author) && access != nil
    }
  }

  /// The groups whose keys somebody has who is cut off from them, in ascending order of identifier.
  package func groupsToRenew(afterCutting authors: [RevocationStatement.CutAuthor]) -> [RegisteredGroup] {
    groupsToRenew(
      after: RevocationStatement(
        machines: [], apps: [], authors: authors, recordCount: 0, recordLists: [], followingEntries: 0, keys: []))
  }
}

extension Membership {
  /// Returns the entitlements of a presented plist in this vault.
  package func expand(
    _ document: EntitlementsDocument, bundleIdentifier: String?, sourcePrefix: String? = nil
  ) throws(VaultError) -> Entitlements {
    let bundleID = try bundleIdentifier.map { (name) throws(VaultError) in try BundleID(checking: name) }
    // A prefix that a registration maps to the team's is mapped in the presented plist too.
    let registered = document.literalPrefix.flatMap { literal in
      apps.values.contains { $0.statement.sourcePrefix == literal } ? literal : nil
    }
    return try translatingErrors {
      try document.expanded(team: team, bundleID: bundleID, sourcePrefix: sourcePrefix ?? registered)
    }
  }
}
