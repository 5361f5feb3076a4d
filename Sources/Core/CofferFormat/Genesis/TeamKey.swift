package import CofferCrypto

/// The secret key of a vendor's team, with which it signs the plists of its apps: 256 random bits.
///
/// The text begins with `COFFERTEAM1`, see ``TypedSecret``.
package struct TeamKey: Sendable {
  private let seed: SecretBytes

  private static let form = TypedSecret(
    prefix: "COFFERTEAM1", secretByteCount: 32, checkByteCount: 3, checkDomain: .teamKeyCheck)

  /// The reason why a text is not a team key.
  package typealias ParseError = TypedSecret.ParseError

  /// Generates a random key.
  package static func random() -> TeamKey { TeamKey(seed: .random(count: form.secretByteCount)) }

  private init(seed: SecretBytes) { self.seed = seed }

  /// Reads a key as typed by a person, see ``TypedSecret/read(_:)``.
  package init(parsing text: SecretText) throws(ParseError) { self.init(seed: try Self.form.read(text)) }

  /// The key as text.
  package var text: SecretText { Self.form.text(of: seed) }

  /// The key that signs plists.
  package func signing() throws(CryptoError) -> SigningKey { try SigningKey(seed: seed) }
}
