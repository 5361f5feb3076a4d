/// A full application identifier, `TEAMID.com.example.photo`: which team an app belongs to, and which app it is.
package struct ApplicationID: Hashable, Sendable, LosslessStringConvertible {
  /// The team that the app belongs to.
  package let team: TeamID
  /// The app within its team.
  package let bundleID: BundleID

  /// What an application identifier looks like, for error messages.
  package static let form = "a team identifier (\(TeamID.form)), a dot and a bundle identifier (\(BundleID.form))"

  /// The identifier of the app `bundleID` of `team`.
  package init(team: TeamID, bundleID: BundleID) {
    self.team = team
    self.bundleID = bundleID
  }

  /// Nil unless `text` is a team identifier, a dot and a bundle identifier.
  package init?(_ text: String) {
    guard let dot = text.utf8.firstIndex(of: UInt8(ascii: ".")),
      let team = TeamID(String(text[..<dot])),
      let bundleID = BundleID(String(text[text.utf8.index(after: dot)...]))
    else { return nil }
    self.init(team: team, bundleID: bundleID)
  }

  /// `TEAMID.bundle.id`, at most 211 bytes.
  package var description: String { team.prefix + bundleID.description }

  /// The access group that every app has by its identifier alone.
  package var accessGroup: AccessGroupName { AccessGroupName(self) }
}
