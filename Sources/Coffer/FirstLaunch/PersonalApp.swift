internal import CofferFormat
package import CofferTrust
package import CofferVault

/// The app of this machine's owner: the program `coffer`, with one group for what a person keeps without any app. It is
/// registered as every other app is, when the first secret is set.
package enum PersonalApp {
  /// The bundle identifier, and the name of the group without the team.
  package static let bundleIdentifier = "coffer.personal"

  /// Returns the full identifier in a vault.
  package static func identifier(in team: TeamID) -> ApplicationID? {
    BundleID(bundleIdentifier).map { ApplicationID(team: team, bundleID: $0) }
  }

  /// Returns the full identifier if the app is registered and has its credential on this machine; nil otherwise.
  package static func installed(in local: LocalVault) throws(VaultError) -> ApplicationID? {
    let membership = try local.settledMembership()
    guard let application = identifier(in: membership.team), membership.apps[application] != nil,
      local.folder.credentialFile(of: application).exists
    else { return nil }
    return application
  }

  private static let plist = Array(
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
    <key>application-identifier</key><string>$(AppIdentifierPrefix)\(bundleIdentifier)</string>
    </dict></plist>
    """.utf8)

  /// The registration of the app, whose plist the program has itself.
  package static let registration = AppRegistration.Request(
    plist: plist, source: "the entitlements of \(bundleIdentifier)", bundleID: nil, sourcePrefix: nil)

  /// Whether a registered app is this one, with the plist of the program.
  package static func isRegistration(_ app: App) -> Bool { app.statement.entitlements == plist }

  /// Creates the user's own vault if there is none. Returns whether it was created. Throws `noVault` if this machine's
  /// administrator has turned that off.
  package static func createVaultIfNeeded(at location: VaultLocation) throws(VaultError) -> Bool {
    let folder = VaultFolder(location)
    guard !folder.exists, !folder.deviceFile.exists, try FirstLaunch.isAllowed() else { return false }
    try VaultCreation.createPersonal(at: location)
    return true
  }
}
