package import CofferCrypto
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
internal import CofferTrust
internal import CofferVault
internal import Synchronization

/// The first launch of an app: creates the user's vault if there is none, and registers the app by the plist that its
/// package has installed.
struct FirstLaunch {
  /// The variable of the environment with which the administrator of a machine turns first launches off.
  private static let variable = "COFFER_FIRST_LAUNCH"

  let document: EntitlementsDocument
  let bundleIdentifier: String?
  let folder: VaultFolder
  let prompt: AppRegistrationPrompt?
  /// The plist that the installation of an app in a sandbox has deployed; nil for any other app.
  var deployed: InstalledEntitlements?

  /// Whether the environment allows first launches. A setgid program reads no environment, and root gives it its keys:
  /// it never registers itself. Throws `invalidArgument` for a value of the variable that means nothing.
  static func isAllowed() throws(VaultError) -> Bool {
    guard !CurrentProcess.hasElevatedPrivileges else { return false }
    switch CurrentProcess.variable(variable) {
    case nil, "", "on": return true
    case "off": return false
    default:
      throw VaultError(
        .invalidArgument, "\(variable) has an unknown value",
        recoverySuggestion: "set it to \"off\", so that no app creates a vault or registers itself, or unset it")
    }
  }

  /// Creates the vault if there is none. Throws `noVault` if no package has installed a plist of the app, and
  /// `notEntitled` if the app could not be registered by it.
  func createVault() throws(VaultError) {
    guard !folder.exists, !folder.deviceFile.exists else { return }
    if deployed == nil, let error = SandboxedApp.errorOfThisProcess { throw error }
    // The identifier does not depend on the team.
    let claimed = try claimed(in: .placeholder)
    let app = claimed.applicationID.bundleID
    if let error = InstalledApp(app).missingUserError { throw error }
    guard try Self.isAllowed() else { return }
    guard let installed = try installed(app) else {
      throw VaultError(
        .noVault, "there is no vault at \(folder.path), and no package has installed entitlements of \(app)",
        recoverySuggestion:
          "ship the app's plist in its package as \(InstalledEntitlements.advisedPath(of: app)), owned by root, so that its first launch creates a vault; or create one with `coffer init`, or bring one from another machine with `coffer clone URL`"
      )
    }
    // What cannot be registered must not leave a vault.
    let entitlements = try entitlements(of: installed, for: app, in: .placeholder)
    try UnattendedRegistration(plist: installed, team: try installed.team()).checkNames(of: entitlements)
    try check(claimed, isIn: entitlements, of: installed)
    try VaultCreation.createPersonal(at: VaultLocation(folder: folder.url))
  }

  /// What the app lacks in the vault.
  private enum Need {
    case registration
    case credential
  }

  /// Registers the app, or gives it a credential, if it lacks one and a package has installed its plist.
  ///
  /// - Parameter local: The vault.
  /// - Throws: ``VaultError``: `notEntitled` for a plist that nobody vouches for, or that claims a group of another
  ///   vendor; `locked` if the machine has a passphrase and nobody can be asked; the errors of a sync, if the vault
  ///   has a remote.
  func registerIfNeeded(in local: LocalVault) throws(VaultError) {
    let membership = try local.publishedMembership()
    guard let claimed = try? claimed(in: membership.team), let need = need(of: claimed, in: membership) else { return }
    let app = claimed.applicationID
    if membership.apps[app] == nil, let error = InstalledApp(app.bundleID).missingUserError { throw error }
    guard try Self.isAllowed() else { return }
    guard let installed = try installed(app.bundleID) else { return }
    let rule = UnattendedRegistration(plist: installed, team: try installed.team())
    let entitlements = try entitlements(of: installed, for: app.bundleID, in: membership.team)
    try rule.check(need == .credential ? claimed : entitlements, in: membership)
    try check(
      claimed, isIn: entitlements.keeping(membership.apps[app]?.entitlements ?? entitlements), of: installed)
    StagingFolder.removeLeftovers(for: VaultLocation(folder: folder.url))
    let passphrase = source(of: rule, entitlements, in: membership)
    let registration = AppRegistration(local, passphrase: passphrase.rememberingFirst())
    let request = installed.request(for: app.bundleID, in: membership.team)
    try publishing {
      try $0.register(in: local) { (_) throws(VaultError) in
        // Another process of the app can have done it meanwhile.
        switch self.need(of: claimed, in: try local.publishedMembership()) {
        case nil: return ([], nil)
        case .registration:
          let outcome = try registration.register(request, keepingRights: true, check: rule.check)
          return (outcome.credentials, outcome.position)
        case .credential:
          let installation = try registration.install(app)
          return ([installation.credential], installation.position)
        }
      }
    }
    FaultPoint.reached(.appRegistered)
  }

  private func installed(_ app: BundleID) throws(VaultError) -> InstalledEntitlements? {
    if let deployed { deployed } else { try InstalledEntitlements.find(app) }
  }

  /// Throws `notEntitled` if the program claims more than it would get.
  private func check(
    _ claimed: Entitlements, isIn entitlements: Entitlements, of installed: InstalledEntitlements
  ) throws(VaultError) {
    do throws(EntitlementsError) {
      try claimed.checkSubset(of: entitlements, source: document.source)
    } catch {
      throw VaultError(
        .notEntitled, "\(error.problem), nor claimed by the package's plist \(installed.path)",
        recoverySuggestion: "ship the same entitlements in the package and in the program")
    }
  }

  private func publishing(_ body: (MembershipPublication) throws -> Void) throws(VaultError) {
    do {
      try body(.leavingUnread)
    } catch let failure as SyncFailure {
      throw VaultError(
        .network, "the app's registration could not be published: \(failure.messages.sanitizedForTerminal())",
        recoverySuggestion: "see the reason with `coffer sync`, and start the app again")
    } catch {
      throw VaultError(translating: error)
    }
  }

  private func need(of claimed: Entitlements, in membership: Membership) -> Need? {
    let application = claimed.applicationID
    guard let app = membership.apps[application] else {
      // What an owner has removed, no package brings back.
      return membership.removalError(ofAppNamed: application.description) == nil ? .registration : nil
    }
    guard (try? claimed.checkSubset(of: app.entitlements, source: document.source)) != nil else { return .registration }
    // A credential file would give the keys of an installed program to every other one.
    guard InstalledApp(application.bundleID).program == nil else { return nil }
    return folder.credentialFile(of: application).exists ? nil : .credential
  }

  /// The rights that the program's own plist claims.
  private func claimed(in team: TeamID) throws(VaultError) -> Entitlements {
    try translatingErrors {
      try document.expanded(
        team: team, bundleID: bundleIdentifier.flatMap(BundleID.init),
        sourcePrefix: document.sourcePrefix(in: team))
    }
  }

  /// The rights that the installed plist gives. Throws `notEntitled` if it is another app's.
  private func entitlements(
    of installed: InstalledEntitlements, for app: BundleID, in team: TeamID
  ) throws(VaultError) -> Entitlements {
    try translatingErrors {
      try installed.document.expanded(
        team: team, bundleID: app, sourcePrefix: installed.document.sourcePrefix(in: team))
    }
  }

  /// The source of the passphrase: whoever asks says which app is registered.
  private func source(
    of rule: UnattendedRegistration, _ entitlements: Entitlements, in membership: Membership
  ) -> PassphraseSource {
    PassphraseSource(attempts: 3) { (previous) throws(VaultError) in
      let request = rule.request(entitlements, in: membership, isRepeated: previous != nil)
      let answer: SecretText?
      if let prompt {
        answer = try prompt(request).map { given in
          var bytes = given.secretBytes
          return SecretText(moving: &bytes)
        }
      } else if let prompt = Vault.registrationPrompt {
        answer = try prompt(request)
      } else {
        throw VaultError(
          .locked, "\(request.application) is not registered, and this machine's passphrase is needed for it",
          recoverySuggestion: "register it with: coffer app add \(request.plist.shellWord)")
      }
      guard let answer else {
        throw VaultError(
          .locked, "the registration of \(request.application) was declined",
          recoverySuggestion: "start the app again, or register it with: coffer app add \(request.plist.shellWord)")
      }
      return answer
    }
  }
}

/// What an app's first launch asks this machine's owner, if the machine has a passphrase: whether the app is registered
/// with what its plist claims.
public struct AppRegistrationRequest: Sendable {
  /// An access group that the app gets.
  public struct Group: Hashable, Sendable {
    /// The full name, `TEAMID.com.example.shared`.
    public let name: String
    /// Whether the app may write to the group.
    public let isWritable: Bool
    /// The registered apps that have the group already, by their full identifiers.
    public let otherApps: [String]
  }

  /// The app's full identifier.
  public let application: String
  /// The access groups that the app gets, the default first.
  public let groups: [Group]
  /// The path of the plist that the app's package has installed.
  public let plist: String
  /// The user to whom the plist belongs, and who vouches for it, usually `root`.
  public let voucher: String
  /// The label of the vendor's team that has signed the plist; nil if none has.
  public let team: String?
  /// Whether the passphrase that was given before is wrong.
  public let isRepeated: Bool

  /// The request in words, for a prompt: one paragraph, safe to print.
  public var description: String {
    let names = groups.map { group in
      let others = group.otherApps.isEmpty ? "" : ", which \(group.otherApps.joined(separator: " and ")) has too"
      return "\(group.isWritable ? "" : "to read ")\(group.name)\(others)"
    }
    let vendor = team.map { "signed by the team \($0)" } ?? "signed by no team"
    // The groups last: a long list must not push out of a dialog who vouches for it.
    return """
      \(application) is started for the first time. \(voucher) vouches for its plist \(plist), \(vendor). \
      It wants these access groups: \(names.joined(separator: "; ")).
      """.sanitizedForTerminal(limit: 4_000, foldsWhiteSpace: true)
  }
}

/// Asks this machine's owner whether an app is registered. Returns the machine's passphrase, or nil if the answer is
/// no.
public typealias AppRegistrationPrompt = @Sendable (AppRegistrationRequest) throws(VaultError) -> (any SecretValue)?

private let registrationPromptOfProcess = Mutex<Vault.RegistrationPrompter?>(nil)

extension Vault {
  /// As ``AppRegistrationPrompt``, with the passphrase in guarded memory.
  package typealias RegistrationPrompter =
    @Sendable (AppRegistrationRequest) throws(VaultError) -> SecretText?

  /// Asks this machine's owner at the first launch of an app, if
  /// ``open(_:at:creatingIfNeeded:askingForRegistration:)`` is given nobody to ask.
  package static var registrationPrompt: RegistrationPrompter? {
    get { registrationPromptOfProcess.withLock { $0 } }
    set { registrationPromptOfProcess.withLock { $0 = newValue } }
  }
}
