/// The two secret keys of a root, admin, device or principal: one for signing, one for opening boxes.
package struct PartyKeys: Sendable {
  package let signing: SigningKey
  /// The key that opens boxes sealed to the party.
  package let agreement: AgreementKey

  package static func random() -> PartyKeys { PartyKeys(signing: .random(), agreement: .random()) }

  private init(signing: SigningKey, agreement: AgreementKey) {
    self.signing = signing
    self.agreement = agreement
  }

  /// Creates both keys from 64 secret bytes: the signing seed, then the agreement secret.
  package init(secret: SecretBytes) throws(CryptoError) {
    guard secret.count == 64 else { throw .invalidSize }
    signing = try SigningKey(seed: secret.slice(0..<32))
    agreement = try AgreementKey(secret: secret.slice(32..<64))
  }

  /// The 64 secret bytes from which ``init(secret:)`` creates the same keys.
  package var secret: SecretBytes { SecretBytes(joining: signing.seed, agreement.secret) }

  /// The public halves of both keys.
  package var publicKeys: PartyPublicKeys {
    PartyPublicKeys(verifying: signing.publicKey, box: agreement.publicKey)
  }
}
