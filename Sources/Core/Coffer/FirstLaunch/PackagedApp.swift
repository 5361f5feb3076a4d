package import CofferFormat
package import CofferTrust
package import CofferVault

/// An app whose package has installed its plist, for the user for whom root installs the app. An installed program
/// never registers itself, so the command that gives it a credential does, by the rule for first launches.
package struct PackagedApp: Sendable {
  private let app: BundleID
  private let plist: InstalledEntitlements

  /// Finds the plist that a package has installed for an app. Returns nil if there is none, and throws `notEntitled` if
  /// nobody vouches for it.
  package static func find(_ app: BundleID) throws(VaultError) -> PackagedApp? {
    guard let plist = try InstalledEntitlements.find(app) else { return nil }
    return PackagedApp(app: app, plist: plist)
  }

  /// Throws `notEntitled` if no vault would register the app by its plist, before a vault is created for it.
  package func check() throws(VaultError) {
    try rule().checkNames(of: plist.request(for: app, in: .placeholder).entitlements(in: .placeholder))
  }

  /// Throws `notEntitled` if the vault would not register the app by its plist, before anything is changed for it.
  package func check(in local: LocalVault) throws(VaultError) {
    let membership = try local.settledMembership()
    let application = ApplicationID(team: membership.team, bundleID: app)
    if let error = membership.removalError(ofAppNamed: application.description) { throw error }
    let request = plist.request(for: app, in: membership.team)
    try rule().check(request.entitlements(in: membership.team), in: membership)
  }

  /// Registers the app, and makes no credential file. Returns the position of the change in the log. Throws
  /// `notEntitled` if an owner has removed the app, and for a plist that claims a group of another vendor: an owner who
  /// means it runs `coffer app add`.
  package func register(with registration: AppRegistration, in local: LocalVault) throws(VaultError) -> LogPosition? {
    try check(in: local)
    let request = plist.request(for: app, in: try local.settledMembership().team)
    return try registration.register(
      request, keepingRights: true, createsCredential: false, check: rule().check
    ).position
  }

  private func rule() throws(VaultError) -> UnattendedRegistration {
    UnattendedRegistration(plist: plist, team: try plist.team())
  }
}
