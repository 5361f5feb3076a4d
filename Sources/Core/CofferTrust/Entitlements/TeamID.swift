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
