internal import CofferSystem

/// The reason why an entitlements plist was rejected: the plist, the key, the group, the problem and its fix.
///
/// It contains no secrets. `source`, `group` and `what` may contain any text from a hostile plist; `description` is one
/// line without control characters and safe to print.
package struct EntitlementsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of error.
  package enum Code: String, CaseIterable, Hashable, Sendable {
    /// Not an XML or binary property list, or one built to mislead or exhaust its reader.
    case malformed
    /// More than 64 KiB, or more than 64 groups.
    case tooLarge
    /// The top level, or the value of a key that Coffer reads, has the wrong type.
    case wrongType
    /// A key of a new plist is almost one that Coffer reads, and would be ignored.
    case misspelledKey
    /// A name is empty, too long, or contains a character that is not allowed.
    case invalidName
    /// A name contains a `*`.
    case wildcard
    /// A name starts with the prefix of another team than the vault's.
    case foreignPrefix
    /// A name does not start with a team prefix.
    case missingPrefix
    /// A group is listed twice.
    case duplicateGroup
    /// A variable is unknown to Coffer, or has no closing bracket.
    case unknownVariable
    /// A variable needs the bundle identifier, but none was given.
    case missingBundleID
    /// The plist has no application identifier, and no bundle identifier was given to derive it from.
    case missingApplicationIdentifier
    /// A presented plist lists a group that is not registered for the app, or only as read-only.
    case exceedsRegistration
    /// A presented plist belongs to another app.
    case otherApplication
    /// The signature of a vendor's team is incomplete, or not that of this plist.
    case invalidSignature
  }

  package let code: Code
  /// The plist: the path or other name that its reader was given.
  package let source: String
  /// The key whose value contains the error; nil if no single key does.
  package let key: EntitlementsKey?
  /// The affected name as written in the plist; nil if no single name is affected.
  package let group: String?
  /// The problem, as the end of a sentence.
  package let what: String
  /// The recovery suggestion: an instruction that fixes the problem.
  package let recoverySuggestion: String

  init(
    _ code: Code, source: String, key: EntitlementsKey? = nil, group: String? = nil, what: String,
    recoverySuggestion: String
  ) {
    self.code = code
    self.source = source
    self.key = key
    self.group = group
    self.what = what
    self.recoverySuggestion = recoverySuggestion
  }

  /// One line: `PLIST: KEY: "GROUP" what; recovery suggestion`.
  package var description: String { "\(problem); \(suggestion)" }

  /// What happened, in one line that is safe to print: `PLIST: KEY: "GROUP" what`.
  package var problem: String {
    var line = source + ": "
    if let key { line += key.rawValue + ": " }
    if let group { line += quoted(group) + " " }
    return (line + what).sanitizedForTerminal(limit: .max)
  }

  /// The recovery suggestion, in one line that is safe to print.
  package var suggestion: String { recoverySuggestion.sanitizedForTerminal(limit: .max) }
}

/// Returns a name from a plist in quotes, limited to 100 scalars: a hostile name may have 64 KiB.
func quoted(_ name: String) -> String {
  let scalars = name.unicodeScalars
  let shown = String(String.UnicodeScalarView(scalars.prefix(100)))
  return "\"" + shown + (shown.unicodeScalars.count < scalars.count ? "…" : "") + "\""
}
