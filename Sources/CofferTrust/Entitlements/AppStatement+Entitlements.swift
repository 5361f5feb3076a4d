package import CofferFormat

extension AppStatement {
  /// Returns the entitlements of this registration for a team.
  package func entitlements(team: TeamID) throws(EntitlementsError) -> Entitlements {
    try EntitlementsDocument(bytes: entitlements, source: "registration of \(applicationID)", isRegistered: true)
      .expanded(team: team, bundleID: BundleID(bundleID), sourcePrefix: sourcePrefix)
  }
}
