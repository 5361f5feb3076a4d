internal import CofferSystem

/// Why an entitlements plist was refused: the plist, the key, the group, what is wrong, and what to do about it.
///
/// Nothing in it is secret. `source`, `group` and `what` may hold whatever a hostile plist holds; `description` is one
/// line without control characters and safe to print.
package struct EntitlementsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of mistake it is.
  package enum Code: String, CaseIterable, Hashable, Sendable {
    /// Not an XML or binary property list, or one written to mislead or exhaust its reader.
    case malformed
    /// More than 64 KiB, or more than 64 groups.
    case tooLarge
    /// The top level, or the value of a key that Coffer reads, has the wrong type.
    case wrongType
    /// A name is empty, too long, or holds a character that names cannot hold.
    case invalidName
    /// A name holds a `*`.
    case wildcard
    /// A name starts with the prefix of a team that is not the vault's.
    case foreignPrefix
    /// A name starts with no team prefix at all.
    case missingPrefix
    /// A group is named twice.
    case duplicateGroup
    /// A variable that Coffer does not know, or one without its closing bracket.
    case unknownVariable
    /// A variable needs the bundle identifier, and none was given.
    case missingBundleID
    /// The plist has no application identifier, and no bundle identifier was given to make one from.
    case missingApplicationIdentifier
    /// A presented plist names a group that the registration does not grant, or not with write access.
    case exceedsRegistration
    /// A presented plist is that of another app than the one expected.
    case otherApplication
  }

  /// What kind of mistake it is.
  package let code: Code
  /// The plist: the path or other name that its reader was given.
  package let source: String
  /// The key in whose value the mistake is; nil where it is in no single key.
  package let key: EntitlementsKey?
  /// The name concerned, as the plist has it; nil where the mistake is in no single name.
  package let group: String?
  /// What is wrong, as the rest of a sentence.
  package let what: String
  /// What to do about it.
  package let mend: String

  init(
    _ code: Code, source: String, key: EntitlementsKey? = nil, group: String? = nil, what: String, mend: String
  ) {
    self.code = code
    self.source = source
    self.key = key
    self.group = group
    self.what = what
    self.mend = mend
  }

  /// One line: `PLIST: KEY: "GROUP" what; mend`.
  package var description: String {
    var line = source + ": "
    if let key { line += key.rawValue + ": " }
    if let group { line += quoted(group) + " " }
    return (line + what + "; " + mend).sanitizedForTerminal(limit: .max)
  }
}

/// A name from a plist between quotes, cut after 100 scalars: a plist may put 64 KiB where a name belongs.
func quoted(_ name: String) -> String {
  let scalars = name.unicodeScalars
  let shown = String(String.UnicodeScalarView(scalars.prefix(100)))
  return "\"" + shown + (shown.unicodeScalars.count < scalars.count ? "…" : "") + "\""
}
