package import Coffer
internal import CofferFormat
internal import CofferStore
internal import CofferTrust
package import CofferVault

/// The groups of a vault that can be read, and how many items they have: what every page shows beside its content.
package struct VaultMenu: Sendable {
  /// An access group and the number of its items.
  package struct Group: Hashable, Sendable {
    /// The full name.
    package let name: String
    /// The name without the vault's team.
    package let title: String
    package let itemCount: Int
  }

  package let team: String
  /// The names for people of groups and of this machine.
  package let names: TeamNames
  package let groups: [Group]
  /// The number of items that machines have changed at the same time.
  package let conflictCount: Int
  /// Whether anything was removed from the vault.
  package internal(set) var hasRevocations: Bool
  /// The number of items to replace; 0 as long as nobody has counted those of a large vault.
  package internal(set) var replacementCount = 0
  /// The number of refused versions that nobody has adopted, discarded or written over.
  package internal(set) var refusedCount = 0
}

extension InspectedVault {
  /// The vault's team, which the full names of groups begin with.
  package var team: String {
    get throws(VaultError) { try local.membership().team.description }
  }

  /// The names of apps, groups and machines as this machine's owner knows them.
  package var names: TeamNames {
    get throws(VaultError) {
      let own = vault.applicationIdentifier.map { [$0] }
      let apps = try local.membership().apps.keys.map(\.description)
      return TeamNames(
        team: try team, groups: try vault.accessGroups.map(\.name), apps: own ?? apps, machine: local.machineName)
    }
  }

  /// Returns the menu. It is read from counters that the store keeps, and from the log as it was folded before: no
  /// record and, unless it has changed, no entry of the log is read. The groups are in ascending order of their names.
  package func menu() throws(VaultError) -> VaultMenu {
    var menu = try countedMenu()
    guard menu.hasRevocations, vault.applicationIdentifier == nil else { return menu }
    menu.replacementCount = try countReplacements(among: menu.groups.reduce(0) { $0 + $1.itemCount })
    return menu
  }

  /// The largest vault in which every page counts the items to replace, which opens each item once after each change of
  /// the vault. In a larger one, the overview does.
  private static let countedItemLimit = 5_000

  private func countReplacements(among itemCount: Int) throws(VaultError) -> Int {
    if itemCount <= Self.countedItemLimit { return try itemsToReplaceCount() }
    return replacementCount.count(at: try vault.itemChanges(after: nil).position) ?? 0
  }

  private func countedMenu() throws(VaultError) -> VaultMenu {
    let readable = Set(try vault.accessGroups.map(\.name))
    let names = try names
    return try translatingErrors {
      try local.store.read { reader in
        let membership = try local.membership(in: reader)
        let registered = membership.groups.values.filter { readable.contains($0.name.description) }
          .sorted { $0.name.description < $1.name.description }
        let groups = try registered.map { group in
          VaultMenu.Group(
            name: group.name.description, title: membership.team.removed(from: group.name.description),
            itemCount: try ItemClass.allCases.reduce(0) { try $0 + reader.itemCount(in: group.id, of: $1) })
        }
        return VaultMenu(
          team: membership.team.description, names: names, groups: groups,
          conflictCount: try registered.reduce(0) { try $0 + reader.conflictCount(in: $1.id) },
          hasRevocations: !membership.revocations.isEmpty,
          refusedCount: vault.applicationIdentifier == nil
            ? try UnadmittedRecords.load(from: reader, of: local, in: membership).count(.refused) : 0)
      }
    }
  }
}

/// Shortens names of apps and groups by the vault's team, with which all of them begin.
package struct TeamNames: Sendable {
  private let team: TeamID?
  /// The name of this machine; empty if it is not known.
  package let machine: String
  private var groups: [String: String] = [:]
  private var apps: [String: String] = [:]

  /// Takes the vault's team, the full names of the groups and of the apps that are shown together, and the name of this
  /// machine. A text that is no team shortens nothing.
  package init(team: String, groups: [String] = [], apps: [String] = [], machine: String = "") {
    self.team = TeamID(team)
    self.machine = machine
    self.groups = Self.words(of: groups.map(short))
    self.apps = Self.words(of: apps.map(short))
  }

  /// Returns the name for people of a group, by its full name: "Photo purchases" for `com.example.photo.purchases`. It
  /// is the name without the team if that would be the name of another group too.
  package func display(_ group: String) -> String { groups[short(group)] ?? short(group) }

  /// Returns the name for people of an app, as ``display(_:)`` does for a group.
  package func title(ofApp app: String) -> String { apps[short(app)] ?? short(app) }

  /// Returns the names for people of groups or apps, by their names without the team. One that looks like another's is
  /// left out: it would let one pass for the other.
  static func words(of names: [String]) -> [String: String] {
    let words = names.map { (name: $0, words: Self.words(in: $0)) }
    let counts = Dictionary(words.map { (shape(of: $0.words), 1) }, uniquingKeysWith: +)
    return Dictionary(
      words.filter { counts[shape(of: $0.words)] == 1 }.map { ($0.name, $0.words) }, uniquingKeysWith: { one, _ in one }
    )
  }

  /// What a hasty reader sees of a name.
  private static func shape(of words: String) -> String {
    let alike: [Character: Character] = ["0": "o", "1": "l", "i": "l"]
    return String(words.lowercased().filter { $0.isLetter || $0.isNumber }.map { alike[$0] ?? $0 })
  }

  private static func words(in name: String) -> String {
    let parts = name.split(separator: ".")
    let words = parts.dropFirst(parts.count > 2 ? 2 : 0).joined(separator: " ")
    return words.count > 40 || words.isEmpty ? name : words.prefix(1).uppercased() + words.dropFirst()
  }

  /// Returns a name without the team.
  package func short(_ name: String) -> String { team?.removed(from: name) ?? name }

  /// Returns a sentence in which no name has the team.
  package func shortened(_ sentence: String) -> String {
    team.map { sentence.replacing($0.prefix, with: "") } ?? sentence
  }

  /// Returns who wrote a version, in words.
  package func words(_ writer: ItemWriter) -> String { writer.words(application: short) }
}
