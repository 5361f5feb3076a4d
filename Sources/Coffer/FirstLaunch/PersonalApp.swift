internal import CofferFormat
package import CofferTrust
package import CofferVault

/// The app of this machine's owner: the program `coffer`, with one group for what a person keeps without any app. It is
/// registered as every other app is, when the first secret is set.
package enum PersonalApp {
  /// The bundle identifier, and the name of the group without the team.
  package static let bundleIdentifier = "coffer.personal"

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
