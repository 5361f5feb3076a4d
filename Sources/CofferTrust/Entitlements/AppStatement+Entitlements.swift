package import CofferFormat

extension AppStatement {
  /// Returns the entitlements of this registration for a team: as stated or, in an entry of version 0.1.0, as its plist
  /// expands.
  package func entitlements(team: TeamID) throws(EntitlementsError) -> Entitlements {
    let source = "registration of \(applicationID)"
    if let groups { return try Entitlements(applicationID: applicationID, stated: groups, team: team, source: source) }
    return try EntitlementsDocument(bytes: entitlements, source: source, isRegistered: true)
      .expanded(team: team, bundleID: BundleID(bundleID), sourcePrefix: sourcePrefix)
  }
}
