internal import Coffer
internal import CofferFormat
internal import CofferTrust
internal import CofferVault

/// An app that `coffer` registers when something is written to its group for the first time, so that nobody has to
/// prepare a vault.
struct OwnApp: Sendable {
  /// The bundle identifier, and the name of the group without the team.
  let bundleIdentifier: String
  /// What is stored in the group.
  private let contents: String
  private let makeRequest: @Sendable () throws(VaultError) -> AppRegistration.Request

  /// The app of this machine's owner, for what no other app has.
  static let personal = OwnApp(
    bundleIdentifier: PersonalApp.bundleIdentifier,
    contents: "what you store without naming a group or an app"
  ) { () throws(VaultError) in PersonalApp.registration }

  /// The app of the programs that use the Secret Service and that nothing tells apart.
  static let desktop = OwnApp(
    bundleIdentifier: DesktopProgram.other.bundleID?.description ?? "",
    contents: "what the programs of your desktop store"
  ) { () throws(VaultError) in try AppRegistration.Request(of: .other) }

  /// What is said before the passphrase is asked for, with which the group is created.
  var creationNote: String {
    """
    The access group \(bundleIdentifier) is created now, for \(contents): the passphrase opens the owner's keys, \
    which sign that. Ctrl-C stores nothing and creates no group; --group names another one.
    """
  }

  private func identifier(in membership: Membership) -> ApplicationID? {
    BundleID(bundleIdentifier).map { ApplicationID(team: membership.team, bundleID: $0) }
  }

  /// Returns the full identifier if the app is registered and has its credential on this machine; nil otherwise.
  func installed(in local: LocalVault) throws(VaultError) -> ApplicationID? {
    let membership = try local.settledMembership()
    guard let application = identifier(in: membership), membership.apps[application] != nil,
      local.folder.credentialFile(of: application).exists
    else { return nil }
    return application
  }

  /// Registers the app, or gives it a credential if it is registered. Returns what is published with it.
  func register(
    with registration: AppRegistration, in local: LocalVault
  ) throws(VaultError) -> (credentials: [PendingCredential], position: LogPosition?) {
    let membership = try local.settledMembership()
    let request = try makeRequest()
    // Its owner may have registered it with another plist, which stays.
    if let application = identifier(in: membership), let app = membership.apps[application], !request.isPlist(of: app) {
      let installation = try registration.install(application)
      return ([installation.credential], installation.position)
    }
    let outcome = try registration.register(request)
    return (outcome.credentials, outcome.position)
  }
}
