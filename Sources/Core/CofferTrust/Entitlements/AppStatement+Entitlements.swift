package import CofferFormat

extension AppStatement {
  /// Returns the entitlements of this registration for a team.
  package func entitlements(team: TeamID) throws(EntitlementsError) -> Entitlements {
    try Entitlements(
      applicationID: applicationID, stated: groups, team: team, source: "registration of \(applicationID)")
  }
}
