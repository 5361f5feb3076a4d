internal import CofferCrypto
internal import CofferFormat
internal import CofferStore
package import CofferTrust
internal import Foundation

/// A vault, opened by an app with its entitlements.
///
/// Any number of programs and threads may use one vault at once. What this one may do is what the vault's membership log
/// says of the app whose credential it holds on this machine.
///
///     let vault = try Vault.open(.bytes(PackageResources.PhotoPro_entitlements))
///     try vault.set("token", for: GenericPassword(service: "api.example.com", account: "jane"))
public final class Vault: Sendable {
  /// An access group of this app.
  public struct AccessGroup: Hashable, Sendable {
    /// The full name, `TEAMID.com.example.shared`.
    public let name: String
    /// False where the app reads the group and every reader refuses what it would write.
    public let isWritable: Bool
  }

  let local: LocalVault
  let actor: VaultActor
  let keyring: Keyring

  private init(local: LocalVault, actor: VaultActor) {
    self.local = local
    self.actor = actor
    keyring = Keyring(actor: actor)
  }

  /// Opens a vault as the app that `entitlements` describe.
  ///
  /// The plist must claim nothing beyond what was registered with `coffer app add`; the order of the groups and the default
  /// are the registration's.
  ///
  /// - Parameters:
  ///   - entitlements: How the program says which app it is.
  ///   - location: The vault's folder; the user's own vault where nil (``VaultLocation/standard()``).
  /// - Throws: ``VaultError``: `noVault`; `notEntitled` for an app that is not registered, has no credential on this machine,
  ///   or claims more than its registration; `integrity` for a foreign or altered vault.
  public static func open(
    _ entitlements: EntitlementsSource = .automatic, at location: VaultLocation? = nil
  ) throws(VaultError) -> Vault {
    let document = try entitlements.document()
    let place = if let location { location } else { try VaultLocation.standard() }
    let local = try LocalVault(VaultFolder(place))
    let membership = try local.membership()
    let presented = try membership.expand(document, bundleIdentifier: entitlements.bundleIdentifier)
    guard let app = membership.apps[presented.applicationID] else {
      throw VaultError(
        .notEntitled, "\(presented.applicationID) is not registered in the vault at \(local.folder.path)",
        mend: "register it on an admin machine with: coffer app add FILE.entitlements")
    }
    do throws(EntitlementsError) {
      try presented.checkSubset(of: app.entitlements, source: document.source)
    } catch {
      throw VaultError(error)
    }
    return try open(app.id, local: local, membership: membership)
  }

  /// Opens a vault as a registered app, by its credential alone: what `coffer --app` does.
  package static func open(application: ApplicationID, local: LocalVault) throws(VaultError) -> Vault {
    try open(application, local: local, membership: local.membership())
  }

  private static func open(
    _ application: ApplicationID, local: LocalVault, membership: Membership
  ) throws(VaultError) -> Vault {
    let file = local.folder.credentialFile(of: application)
    guard file.exists else {
      throw VaultError(
        .notEntitled, "\(application) has no credential on this machine",
        mend: "mint one with: coffer app install \(application)")
    }
    let credential = try file.read { try Credential(secretBytes: $0) }
    guard credential.applicationID == application.description else {
      throw VaultError(
        .integrity, "the credential at \(file.path) is another app's",
        mend: "mint one with: coffer app install \(application)")
    }
    let actor = try VaultActor(credential: credential, membership: membership, vault: local)
    try local.checkNotRolledBack(to: credential.seen)
    if credential.seen != membership.head {
      let advanced = Credential(
        genesis: credential.genesis, applicationID: credential.applicationID, device: credential.device,
        keys: credential.keys, seen: membership.head)
      var bytes = advanced.secretBytes()
      do throws(VaultError) {
        try file.write(wiping: &bytes)
      } catch  where error.code == .readOnly || error.code == .diskFull {
        // Remembering less than was seen is no harm: the older position still pins the vault.
      }
    }
    return Vault(local: local, actor: actor)
  }

  /// Opens a vault as the machine's owner, who reads and writes every group.
  package static func open(asOwnerOf local: LocalVault, passphrase: PassphraseSource) throws(VaultError) -> Vault {
    let membership = try local.membership()
    let keys = try AdminKeys.open(local.folder, of: membership.genesis.hash, passphrase: passphrase)
    return Vault(local: local, actor: try VaultActor(admin: keys, membership: membership))
  }

  /// The app's full identifier; nil where the machine's owner acts.
  public var applicationIdentifier: String? {
    if case .principal(let application, _, _) = actor.author.role { application.description } else { nil }
  }

  /// The app's access groups in Apple's order: a search without a group looks into each of them.
  public var accessGroups: [AccessGroup] {
    get throws(VaultError) {
      actor.groups(in: try local.membership()).map {
        AccessGroup(name: $0.name.description, isWritable: $0.access == .readWrite)
      }
    }
  }

  /// The group of a write that names none: the first of the entitlements; nil for the machine's owner.
  public var defaultAccessGroup: String? {
    get throws(VaultError) {
      try defaultGroup(in: local.membership())?.description
    }
  }

  func defaultGroup(in membership: Membership) -> AccessGroupName? {
    if case .principal(let application, _, _) = actor.author.role {
      membership.apps[application]?.entitlements.defaultGroup
    } else {
      nil
    }
  }
}

extension LocalVault {
  /// Throws where the log no longer holds what a credential has seen.
  func checkNotRolledBack(to seen: LogPosition) throws(VaultError) {
    guard seen.sequence > 0 else { return }
    let hash = try translatingErrors {
      try store.read { reader in
        try reader.logEntries(after: seen.sequence - 1).first.map { try LogEntry(bytes: $0.entry).hash }
      }
    }
    guard hash == seen.hash else {
      throw VaultError(
        .integrity, "entry \(seen.sequence) of the membership log at \(folder.path) is not the one this app has seen",
        mend: "another copy was put in its place; sync, or restore the right folder")
    }
  }
}

extension Membership {
  /// What a presented plist stands for in this vault.
  func expand(
    _ document: EntitlementsDocument, bundleIdentifier: String?
  ) throws(VaultError) -> Entitlements {
    var bundleID: BundleID?
    if let bundleIdentifier {
      guard let valid = BundleID(bundleIdentifier) else {
        throw VaultError(.invalidArgument, "the bundle identifier is malformed", mend: "it has \(BundleID.form)")
      }
      bundleID = valid
    }
    // A prefix that a registration maps to the team's is mapped in the presented plist too.
    let literal = document.applicationIdentifier.flatMap { $0.split(separator: ".").first.map(String.init) }
    let prefix = literal.flatMap { literal in
      apps.values.contains { $0.statement.sourcePrefix == literal } ? literal : nil
    }
    do throws(EntitlementsError) {
      return try document.expanded(team: team, bundleID: bundleID, sourcePrefix: prefix)
    } catch {
      throw VaultError(error)
    }
  }
}
