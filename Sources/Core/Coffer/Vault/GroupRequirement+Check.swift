internal import CofferFormat
package import CofferTrust
package import CofferVault

extension Membership {
  /// Throws `notEntitled` if a group of an app requires that no other program of the user can read the app's keys.
  package func checkAllowsFile(for app: App) throws(VaultError) {
    guard let strict = requirement(of: app.entitlements), strict.requirement == .strong else { return }
    throw VaultError(
      .notEntitled,
      "\(strict.group) requires that no other program of the user can read the keys of \(app.id), and in a credential file they can",
      recoverySuggestion:
        "install the app's program on this machine with: sudo coffer app install \(app.id.bundleID) --setgid PROGRAM")
  }

  /// Whether an app may have its keys in a file that every program of the user can read.
  package func allowsFile(for app: App) -> Bool { requirement(of: app.entitlements)?.requirement != .strong }
}

extension InstalledApp {
  /// Checks that this process may use an app's credential: that it runs the program that root has installed, if any, and
  /// has what the groups of the app require. Of the program of a package, whose credential root has not made, the file must be
  /// sealed under the passphrase.
  static func checkEnforcement(
    of application: ApplicationID, with file: SecretFile, isSealed: Bool, in membership: Membership
  ) throws(VaultError) {
    if let installed = running(application.bundleID) {
      try installed.checkRunningProgram()
      if installed.keeps(file) { return }
      if !isSealed, let error = installed.missingIdentityError(of: application) { throw error }
    }
    guard let app = membership.apps[application],
      InstalledApp(application.bundleID).ownUser(of: application)?.enforcement != .account
    else { return }
    try membership.checkAllowsFile(for: app)
  }
}
