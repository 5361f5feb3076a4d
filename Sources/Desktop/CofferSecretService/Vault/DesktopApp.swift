internal import Coffer
internal import CofferFormat
internal import CofferTrust
internal import CofferVault

/// The app of the vault that stands for an identity on the bus. It has one group, which is the collection of its
/// callers, and is registered when something is stored in it for the first time, as the owner's own app is.
struct DesktopApp: Hashable, Sendable {
  /// The program that it stands for; nil for a caller that gets nothing.
  let program: DesktopProgram?

  init(_ identity: CallerIdentity) { program = identity.program }

  var bundleIdentifier: String { program?.bundleID?.description ?? "" }

  /// Whether a person is asked before the app is registered: about every program that has a collection of its own. That
  /// of the programs that nothing tells apart is registered when it is needed.
  var needsPermission: Bool { program != .other }

  /// Returns the full identifier in a vault; nil for a malformed bundle identifier.
  private func identifier(in team: TeamID) -> ApplicationID? {
    BundleID(bundleIdentifier).map { ApplicationID(team: team, bundleID: $0) }
  }

  /// What the vault has of the app.
  enum Status {
    /// There is no vault, or the app is not in it: nothing is stored.
    case absent
    /// It is in the vault, and has no credential on this machine.
    case withoutCredential
    case installed(ApplicationID)
  }

  /// Returns what a vault has of the app, and whether a change of its membership asks for a passphrase or waits for a
  /// remote.
  func status(in folder: VaultFolder) throws(VaultError) -> (status: Status, needsQuestion: Bool) {
    // Without the store, the file of the device is of a vault that is lost or not there now.
    guard folder.exists || folder.deviceFile.exists else { return (.absent, false) }
    let local = try LocalVault.open(folder)
    let hasRemote = try local.remote() != nil
    let needsQuestion = hasRemote || local.ownerKeyProtection != .open
    let membership = try local.publishedMembership()
    guard let application = identifier(in: membership.team) else { return (.absent, needsQuestion) }
    // Its items remain in the vault: they must not seem to be gone.
    if let error = membership.removalError(ofAppNamed: application.description) { throw error }
    guard membership.apps[application] != nil else { return (.absent, needsQuestion) }
    guard folder.credentialFile(of: application).exists else { return (.withoutCredential, needsQuestion) }
    return (.installed(application), needsQuestion)
  }

  /// Creates the vault if there is none, and registers the app or gives it a credential, if it lacks one.
  ///
  /// - Parameters:
  ///   - folder: The folder of the vault.
  ///   - passphrase: The source of this machine's passphrase, if it has one.
  ///   - isPermitted: Whether a person has given the program a collection of its own.
  /// - Throws: ``VaultError``: `notEntitled` for an app that needs such a permission; `locked` if a passphrase is
  ///   needed and nobody can be asked; the errors of a sync, if the vault has a remote.
  func install(
    in folder: VaultFolder, passphrase: PassphraseSource, isPermitted: Bool = false
  ) throws(VaultError) {
    guard let program else {
      throw VaultError(
        .notEntitled, "it is not known which program this is",
        recoverySuggestion: "start the program again, and see which programs are refused in the page Desktop apps")
    }
    if case .absent = try status(in: folder).status, needsPermission, !isPermitted {
      throw VaultError(
        .notEntitled, "\(program.words) has no collection of its own",
        recoverySuggestion: "give it one with: \(program.addCommand ?? "coffer app add --desktop NAME")")
    }
    _ = try PersonalApp.createVaultIfNeeded(at: VaultLocation(folder: folder.url))
    let local = try LocalVault.open(folder)
    let registration = AppRegistration(local, passphrase: passphrase.rememberingFirst())
    let request = try AppRegistration.Request(of: program)
    do {
      try MembershipPublication.leavingUnread.register(in: local) { (_) throws(VaultError) in
        switch try status(in: folder).status {
        case .installed: return ([], nil)
        case .absent:
          let outcome = try registration.register(request)
          return (outcome.credentials, outcome.position)
        case .withoutCredential:
          let published = try local.publishedMembership()
          guard let application = identifier(in: published.team) else { return ([], nil) }
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
