internal import Coffer
package import CofferFormat

/// What a vault that joins another one brings.
package struct JoinPreview: Sendable {
  /// The items of one access group.
  package struct Group: Sendable {
    /// The name without the team, which is another one in each vault.
    package let name: String
    /// The bundle identifiers of the apps that have the group in the vault that joins, those that may only read it in words.
    package let apps: [String]
    /// The number of items that the other vault does not have.
    package fileprivate(set) var missing = 0
    /// The number of items that it has with the same contents.
    package fileprivate(set) var same = 0
    /// The items that it has with other contents.
    package fileprivate(set) var different: [Difference] = []
  }

  /// An item that both vaults have, with different contents. Both versions are kept.
  package struct Difference: Sendable {
    package let itemClass: ItemClass
    package let attributes: ItemAttributes
    /// When the version of the vault that joins was written.
    package let written: Timestamp
    /// Whether that version was written later than the other vault's, so that it becomes the current one.
    package let isNewer: Bool
  }

  /// The path of the vault that joins.
  package let path: String
  /// The team of the other vault.
  package let team: String
  /// The groups that have items, in the order in which they were found.
  package private(set) var groups: [Group] = []
  /// Versions of apps that cannot sign them in the other vault, and which become the owner's there, a line each.
  package internal(set) var takenAsOwner: [String] = []

  init(path: String, team: String) {
    self.path = path
    self.team = team
  }

  /// The number of all items.
  package var itemCount: Int { groups.reduce(0) { $0 + $1.missing + $1.same + $1.different.count } }

  mutating func add(_ item: PortableItem, _ comparison: ItemComparison, group: String, apps: GroupClaim) {
    if groups.last?.name != group { groups.append(Group(name: group, apps: apps.words)) }
    let last = groups.count - 1
    switch comparison {
    case .missing: groups[last].missing += 1
    case .same: groups[last].same += 1
    case .different(let isNewer):
      let current = item.current
      groups[last].different.append(
        Difference(
          itemClass: current.draft.itemClass, attributes: current.draft.attributes, written: current.time,
          isNewer: isNewer))
    }
  }
}
