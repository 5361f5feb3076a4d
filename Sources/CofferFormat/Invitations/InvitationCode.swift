package import CofferCrypto

/// The secret that lets one new machine ask to be enrolled, once: 128 random bits, which two people or two screens share.
///
/// The text begins with `INVITE1`, see ``TypedSecret``, so that it cannot be mistaken for a vault key.
package struct InvitationCode: Sendable {
  private let secret: SecretBytes

  private static let form = TypedSecret(
    prefix: "INVITE1", secretByteCount: 16, checkByteCount: 4, checkDomain: .invitationCheck)

  /// The reason why a text is not an invitation's code.
  package typealias ParseError = TypedSecret.ParseError

  /// Generates a random code.
  package static func random() -> InvitationCode { InvitationCode(secret: .random(count: form.secretByteCount)) }

  private init(secret: SecretBytes) { self.secret = secret }

  /// Reads a code as typed by a person, see ``TypedSecret/read(_:)``.
  package init(parsing text: SecretText) throws(ParseError) { self.init(secret: try Self.form.read(text)) }

  /// Whether a text begins as codes do, right or mistyped.
  package static func isMeant(by text: SecretText) -> Bool { form.isPrefix(of: text) }

  /// The code as text.
  package var text: SecretText { Self.form.text(of: secret) }

  /// The key from which everything of the invitation is derived. The code has full entropy, so one hash suffices.
  package var key: InvitationKey { InvitationKey(Hash.key(from: secret, domain: .invitation)) }
}
