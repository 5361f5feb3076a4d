package import CofferFormat
package import CofferTrust
internal import CofferVault

/// The end of an app's rights in some of its groups: on every machine, its principals lose what its next registration does
/// not give any more.
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
