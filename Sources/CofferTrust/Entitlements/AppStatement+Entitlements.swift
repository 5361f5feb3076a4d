package import CofferFormat

extension AppStatement {
  /// Returns the entitlements of this registration for a team.
  ///
  /// - Parameter team: The vault's team.
  /// - Returns: The app's identifier and groups.
  /// - Throws: ``EntitlementsError`` for an identifier or list of groups that is not valid in this vault.
  package func entitlements(team: TeamID) throws(EntitlementsError) -> Entitlements {
    try Entitlements(
      applicationID: applicationID, stated: groups, team: team, source: "registration of \(applicationID)")
  }
}
