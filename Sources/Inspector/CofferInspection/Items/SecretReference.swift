internal import CofferSystem
package import CofferVault

/// Names a password, or one of its attributes, in files and on command lines:
/// `coffer://GROUP/SERVICE/ACCOUNT#attribute`.
///
/// An empty group means all groups, in the order in which they are searched. The parts are percent-encoded: what RFC
/// 3986 allows in a segment of a path stands for itself, and every other character is an escape.
package struct SecretReference: Hashable, Sendable {
  /// The access group, by its full name or without the team prefix; nil for all groups.
  package let group: String?
  /// The service of a generic password, or the server of an internet password.
  package let service: String
  package let account: String
  /// The name or the code of an attribute, as ``ItemDetails/attribute(named:)`` takes it; nil for the value.
  package let attribute: String?

  package static let scheme = "coffer://"

  private static let maximumByteCount = 8_192

  package init(group: String?, service: String, account: String, attribute: String? = nil) {
    self.group = group
    self.service = service
    self.account = account
    self.attribute = attribute
  }

  /// Reads a reference. Throws `invalidArgument` for a malformed one. The error does not repeat the text, in whose
  /// place somebody may have written a secret.
  package init(_ text: String) throws(VaultError) {
    guard text.hasPrefix(Self.scheme) else { throw Self.malformed("it does not begin with \(Self.scheme)") }
    guard text.utf8.count <= Self.maximumByteCount else { throw Self.malformed("it is too long") }
    let halves = text.dropFirst(Self.scheme.count).split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let parts = halves[0].split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw Self.malformed("it has \(parts.count) parts in place of three") }
    let group = try Self.decoded(parts[0])
    self.group = group.isEmpty ? nil : group
    service = try Self.decoded(parts[1])
    account = try Self.decoded(parts[2])
    guard !service.isEmpty || !account.isEmpty else { throw Self.malformed("service and account are empty") }
    attribute = halves.count == 2 ? String(halves[1]) : nil
    guard attribute.map({ $0.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil }) ?? true else {
      throw Self.malformed("the name of the attribute after # is none")
    }
  }

  private static func decoded(_ part: Substring) throws(VaultError) -> String {
    guard part.utf8.allSatisfy({ segment.contains($0) || $0 == UInt8(ascii: "%") }) else {
      throw malformed("it has a character that needs an escape, such as %20 for a space")
    }
    guard let bytes = PercentEscapes.decode(part), let text = String(validating: bytes, as: UTF8.self),
      !bytes.contains(0)
    else { throw malformed("an escape in it is none, or does not stand for text") }
    return text
  }

  private static func malformed(_ reason: String) -> VaultError {
    VaultError(
      .invalidArgument, "this is not a reference: \(reason)",
      recoverySuggestion:
        "write \(scheme)GROUP/SERVICE/ACCOUNT, with an empty GROUP for all groups, as in: coffer list --references")
  }

  /// What may stand for itself in a segment of a path: pchar of RFC 3986, without the escapes.
  private static let segment = Set(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@".utf8)

  /// What is written without an escape: a shell and a template need no quotes for it.
  private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._:@+,=".utf8)

  /// The reference as text, in the one form that every reader takes.
  package var text: String {
    let parts = [group ?? "", service, account].map { PercentEscapes.encode($0, except: Self.plain) }.joined(
      separator: "/")
    return Self.scheme + parts + (attribute.map { "#\($0)" } ?? "")
  }
}
