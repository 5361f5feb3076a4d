internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

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

  /// Returns the app that goes on to be the writer of a version in the other vault; nil for the owner's version, and for one
  /// whose app cannot sign it there.
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
