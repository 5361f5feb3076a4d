internal import Coffer
internal import CofferFormat
internal import CofferTrust
internal import CofferVault

/// The app of the vault that stands for an identity on the bus. It has one group, which is the collection of its callers, and
/// is registered when something is stored in it for the first time, as the owner's own app is.
struct DesktopApp: Hashable, Sendable {
  let bundleIdentifier: String

  init(_ identity: CallerIdentity) { bundleIdentifier = identity.bundleIdentifier }

  /// Whether the app may be registered without its owner: only that of the programs that nothing tells apart. All others are
  /// registered by `coffer app add`, which decides who has a collection of its own.
  private var isRegisteredWhenNeeded: Bool { bundleIdentifier == CallerIdentity.common.bundleIdentifier }

  /// Returns the full identifier in a vault; nil for a malformed bundle identifier.
  private func identifier(in team: TeamID) -> ApplicationID? {
    BundleID(bundleIdentifier).map { ApplicationID(team: team, bundleID: $0) }
  }

  private var plist: [UInt8] {
    Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>application-identifier</key><string>$(AppIdentifierPrefix)\(bundleIdentifier)</string>
      </dict></plist>
      """.utf8)
  }

  /// What the vault has of the app.
  enum Standing {
    /// There is no vault, or the app is not in it: nothing is stored.
    case absent
    /// It is in the vault, and has no credential on this machine.
    case withoutCredential
    case installed(ApplicationID)
  }

  /// Returns what a vault has of the app, and whether its membership changes only with a passphrase.
  func standing(in folder: VaultFolder) throws(VaultError) -> (standing: Standing, needsPassphrase: Bool) {
    guard folder.exists else { return (.absent, false) }
    let local = try LocalVault.open(folder)
    let needsPassphrase = local.ownerKeyProtection != .open
    let membership = try local.settledMembership()
    guard let application = identifier(in: membership.team), membership.apps[application] != nil else {
      return (.absent, needsPassphrase)
    }
    guard folder.credentialFile(of: application).exists else { return (.withoutCredential, needsPassphrase) }
    return (.installed(application), needsPassphrase)
  }

  /// Creates the vault if there is none, and registers the app or gives it a credential, if it lacks one.
  ///
  /// - Parameter passphrase: The source of this machine's passphrase, if it has one.
  /// - Throws: ``VaultError``: `notEntitled` for an app that only its owner registers; `locked` if a passphrase is needed and
  ///   nobody can be asked; the errors of a sync, if the vault has a remote.
  func install(in folder: VaultFolder, passphrase: PassphraseSource) throws(VaultError) {
    if case .absent = try standing(in: folder).standing, !isRegisteredWhenNeeded {
      throw VaultError(
        .notEntitled, "\(bundleIdentifier) is not registered in this vault",
        recoverySuggestion: "register it with: coffer app add --desktop")
    }
    _ = try PersonalApp.createVaultIfNeeded(at: VaultLocation(folder: folder.url))
    let local = try LocalVault.open(folder)
    let registration = AppRegistration(local, passphrase: passphrase.rememberingFirst())
    let request = AppRegistration.Request(
      plist: plist, source: "the entitlements of \(bundleIdentifier)", bundleID: nil, sourcePrefix: nil)
    do {
      try MembershipPublication { try SyncProcess.output(of: $0) }.register(in: local) { (_) throws(VaultError) in
        switch try standing(in: folder).standing {
        case .installed: return ([], nil)
        case .absent:
          let outcome = try registration.register(request)
          return (outcome.credentials, outcome.position)
        case .withoutCredential:
          let settled = try local.settledMembership()
          guard let application = identifier(in: settled.team) else { return ([], nil) }
          let installation = try registration.install(application)
          return ([installation.credential], installation.position)
        }
      }
    } catch let failure as SyncFailure {
      throw VaultError(
        .network, "a collection for desktop programs could not be added to the vault: \(failure.messages)",
        recoverySuggestion: "sync with `coffer sync`, and try again")
    } catch {
      throw VaultError(translating: error)
    }
  }
}
