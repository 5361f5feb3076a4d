/// The name of an access group: `TEAMID.something`, or `group.something` for an application group.
///
/// Both kinds are ASCII letters, digits, `-` and `.`, at most 255 bytes, with no empty label. A team identifier is
/// upper case and 10 characters, so the two kinds cannot be confused. Case counts.
package struct AccessGroupName: Hashable, Sendable, LosslessStringConvertible {
  /// The name in full, its prefix included.
  package let description: String

  /// What an access group's name looks like, for error messages.
  package static let form = "a team identifier or \"group\", then a dot and A–Z a–z 0–9 . -, no empty part, 255 at most"

  /// The prefix of application groups that carry no team identifier.
  package static let applicationGroupPrefix = "group."

  /// The team that the name starts with; nil for an application group `group.…`, which belongs to the vault's team
  /// without saying so.
  package let team: TeamID?

  /// Nil unless `text` is a valid name of either kind.
  package init?(_ text: String) {
    guard text.utf8.count <= 255, let labels = labelCount(text), labels >= 2,
      let dot = text.utf8.firstIndex(of: UInt8(ascii: "."))
    else { return nil }
    team = TeamID(String(text[..<dot]))
    guard team != nil || text.utf8.starts(with: Self.applicationGroupPrefix.utf8) else { return nil }
    description = text
  }

  /// The group that an app has by its identifier: a valid application identifier is always a valid group name.
  package init(_ application: ApplicationID) {
    description = application.description
    team = application.team
  }
}
