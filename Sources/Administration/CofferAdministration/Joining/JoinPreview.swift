internal import Coffer
internal import CofferCrypto
package import CofferFormat
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// What a vault that joins another one brings.
package struct JoinPreview: Sendable {
  /// The items of one access group.
  package struct Group: Sendable {
    /// The name without the team, which is another one in each vault.
    package let name: String
    /// The bundle identifiers of the apps that have the group in the vault that joins, those that may only read it in
    /// words.
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
  /// The team of the other vault; nil if this machine does not have that one yet, and nothing is compared.
  package let team: String?
  /// The groups that have items, in the order in which they were found.
  package private(set) var groups: [Group] = []
  /// Versions of apps that cannot sign them in the other vault, and which become the owner's there, a line each.
  package internal(set) var takenAsOwner: [String] = []

  init(path: String, team: String?) {
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

/// The apps whose plists claim an access group in the vault that joins.
struct GroupClaim {
  private(set) var writers: Set<BundleID> = []
  private var readers: Set<BundleID> = []

  mutating func add(_ app: BundleID, _ access: Entitlements.Access) {
    if access == .readWrite { writers.insert(app) } else { readers.insert(app) }
  }

  /// The apps in ascending order, those that may write first.
  var words: [String] {
    writers.map(\.description).sorted() + readers.subtracting(writers).map { "\($0), read only" }.sorted()
  }

  /// Returns the app that goes on to be the writer of a version in the other vault; nil for the owner's version, and
  /// for one whose app cannot sign it there.
  func signer(of version: PortableItem.Version) -> BundleID? {
    guard case .app(let application, isCut: false) = version.writer, writers.contains(application.bundleID) else {
      return nil
    }
    return application.bundleID
  }

  func signers(of item: PortableItem) -> Set<BundleID> { Set(item.versions.compactMap(signer)) }
}

/// The versions that would lose their writer: their apps cannot sign them in the other vault.
struct ForeignVersions {
  /// A line for each of them.
  private(set) var lines: [String] = []
  private let team: TeamID

  init(team: TeamID) { self.team = team }

  mutating func add(_ item: PortableItem, _ claim: GroupClaim) {
    for version in item.versions where claim.signer(of: version) == nil {
      guard case .app(let application, let isCut) = version.writer else { continue }
      let reason = isCut ? "was removed, or has lost the right to write it" : "may not write the group there"
      let names = [AttributeCode.service, .server, .label, .account].compactMap { version.draft.attributes.string($0) }
      let title = names.filter { !$0.isEmpty }.joined(separator: ", ").sanitizedForTerminal(limit: 120)
      lines.append(
        "\(title.isEmpty ? "an item" : title) in \(team.removed(from: item.group.description)), by \(application.bundleID), which \(reason)"
      )
    }
  }

  /// Throws `invalidArgument` if there are any.
  func checkNone() throws(VaultError) {
    guard let first = lines.first else { return }
    let others = lines.count > 1 ? ", and \(counted(lines.count - 1, "other version"))" : ""
    throw VaultError(
      .invalidArgument, "a version would lose its writer: \(first)\(others)",
      recoverySuggestion:
        "to bring them as the owner's, clone again with --as-owner, which lists them first; or delete the items; nothing was changed"
    )
  }
}

/// The keys that apps have on this machine in the vault that another one joins. Each is opened once.
struct AppKeys {
  private let vault: Vault
  private let passphrase: PassphraseSource
  private var opened: [BundleID: PartyKeys] = [:]

  init(_ vault: Vault, _ passphrase: PassphraseSource) {
    self.vault = vault
    self.passphrase = passphrase
  }

  /// Returns the keys of apps. Throws `authenticationFailed` for a wrong passphrase.
  mutating func keys(of apps: Set<BundleID>) throws(VaultError) -> [BundleID: PartyKeys] {
    for app in apps where opened[app] == nil { opened[app] = try vault.appKeys(of: app, passphrase: passphrase) }
    return opened.filter { apps.contains($0.key) }
  }
}
