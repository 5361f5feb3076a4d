/// The name of an access group: `TEAMID.something`, or `group.something` for an application group.
///
/// Both kinds consist of ASCII letters, digits, `-` and `.`, are at most 255 bytes long, and have no empty label. A
/// team identifier has 10 characters in upper case, so the two kinds cannot be confused. Names are case-sensitive.
package struct AccessGroupName: Hashable, Sendable, LosslessStringConvertible {
  /// The full name, including its prefix.
  package let description: String

  /// The syntax of an access group's name, for error messages.
  package static let form = "a team identifier or \"group\", then a dot and A–Z a–z 0–9 . -, no empty part, 255 at most"

  /// The prefix of application groups that carry no team identifier.
  package static let applicationGroupPrefix = "group."

  /// The team at the start of the name; nil for an application group `group.…`, which belongs to the vault's team
  /// implicitly.
  package let team: TeamID?

  /// Creates a name; nil unless `text` is a valid name of either kind.
  package init?(_ text: String) {
    guard text.utf8.count <= 255, let labels = labelCount(text), labels >= 2,
      let dot = text.utf8.firstIndex(of: UInt8(ascii: "."))
    else { return nil }
    team = TeamID(String(text[..<dot]))
    guard team != nil || text.utf8.starts(with: Self.applicationGroupPrefix.utf8) else { return nil }
    description = text
  }

  /// Creates the name of an app's own group. Each valid application identifier is also a valid group name.
  package init(_ application: ApplicationID) {
    description = application.description
    team = application.team
  }

  /// Returns the name of the same group in the vault of another team.
  package func renamed(for other: TeamID) -> AccessGroupName {
    guard let team else { return self }
    return AccessGroupName(description: other.prefix + description.dropFirst(team.prefix.count), team: other)
  }

  private init(description: String, team: TeamID) {
    self.description = description
    self.team = team
  }
}
