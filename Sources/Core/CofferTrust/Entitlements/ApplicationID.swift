package import CofferCrypto
package import CofferFormat

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

/// A team identifier: the label of a vault's signing authority, 10 characters of the RFC 4648 base32 alphabet in upper
/// case (`A`–`Z`, `2`–`7`).
///
/// It is a label of 50 bits only. Trust in a vault is based on the whole hash of its genesis.
package struct TeamID: Hashable, Sendable, LosslessStringConvertible {
  /// The 10 characters.
  package let description: String

  /// The syntax of a team identifier, for error messages.
  package static let form = "10 characters, A–Z and 2–7"

  /// Creates an identifier; nil unless `text` is exactly 10 characters of `A`–`Z` and `2`–`7`.
  package init?(_ text: String) {
    guard text.utf8.count == 10, text.utf8.allSatisfy(Self.isBase32) else { return nil }
    description = text
  }

  /// The identifier with a following dot: the expansion of `$(AppIdentifierPrefix)`.
  package var prefix: String { description + "." }

  /// Returns the name of an app or a group without this team, with which all of a vault's begin.
  package func removed(from name: String) -> String {
    name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
  }

  private static func isBase32(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "2")...UInt8(ascii: "7"): true
    default: false
    }
  }
}

extension TeamID {
  /// Creates the identifier from a vault's genesis: the first ten base32 characters of its hash.
  package init(genesis: EntryHash) { self.init(hash: genesis.raw) }

  /// Creates the label of a vendor's team key: the first ten base32 characters of its hash. Teams are compared by their
  /// keys.
  package init(vendor key: VerifyingKey) { self.init(hash: Hash.digest(key.raw.bytes, domain: .team)) }

  private init(hash: Bytes32) {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    var bits: UInt64 = 0
    for byte in hash.bytes.prefix(7) { bits = bits << 8 | UInt64(byte) }
    // Ten characters encode the first 50 of these 56 bits.
    let characters = (0..<10).map { alphabet[Int(bits >> UInt64(51 - 5 * $0) & 31)] }
    guard let team = TeamID(String(decoding: characters, as: UTF8.self)) else {
      preconditionFailure("ten base32 characters are not a team identifier")
    }
    self = team
  }
}

/// A bundle identifier in reverse-DNS form, such as `com.example.photo`.
package struct BundleID: Hashable, Sendable, LosslessStringConvertible {
  /// The identifier, as written.
  package let description: String

  /// The syntax of a bundle identifier, for error messages.
  package static let form = "1 to 200 characters, A–Z a–z 0–9 . -, with a dot inside and no empty part"

  /// Creates an identifier; nil unless `text` is 1 to 200 bytes of letters, digits, `.` and `-`, with at least one dot
  /// and no empty label. Wildcards are not allowed.
  package init?(_ text: String) {
    guard text.utf8.count <= 200, let labels = labelCount(text), labels >= 2 else { return nil }
    description = text
  }
}

/// Returns the number of labels in a dotted name; nil if a label is empty or a byte is not an ASCII letter, a digit,
/// `-` or a dot. Compares bytes, because a combining mark would hide a character from a comparison of `Character`s.
func labelCount(_ text: some StringProtocol) -> Int? {
  var count = 1
  var isLabelEmpty = true
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "."):
      if isLabelEmpty { return nil }
      count += 1
      isLabelEmpty = true
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      isLabelEmpty = false
    default:
      return nil
    }
  }
  return isLabelEmpty ? nil : count
}

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
