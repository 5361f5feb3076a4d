/// A full application identifier such as `TEAMID.com.example.photo`: the team and the app within the team.
package struct ApplicationID: Hashable, Sendable, LosslessStringConvertible {
  package let team: TeamID
  /// The app within its team.
  package let bundleID: BundleID

  /// The syntax of an application identifier, for error messages.
  package static let form = "a team identifier (\(TeamID.form)), a dot and a bundle identifier (\(BundleID.form))"

  /// Creates the identifier of an app of a team.
  package init(team: TeamID, bundleID: BundleID) {
    self.team = team
    self.bundleID = bundleID
  }

  /// Creates an identifier; nil unless `text` is a team identifier, a dot and a bundle identifier.
  package init?(_ text: String) {
    guard let dot = text.utf8.firstIndex(of: UInt8(ascii: ".")),
      let team = TeamID(String(text[..<dot])),
      let bundleID = BundleID(String(text[text.utf8.index(after: dot)...]))
    else { return nil }
    self.init(team: team, bundleID: bundleID)
  }

  /// `TEAMID.bundle.id`, at most 211 bytes.
  package var description: String { team.prefix + bundleID.description }

  /// The app's own access group, which its identifier implies.
  package var accessGroup: AccessGroupName { AccessGroupName(self) }
}
