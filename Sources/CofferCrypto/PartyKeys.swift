/// The two secret keys of a root, admin, device or principal: one signs, one opens boxes.
package struct PartyKeys: Sendable {
  /// Signs.
  package let signing: SigningKey
  /// Opens boxes.
  package let agreement: AgreementKey

  /// Fresh keys.
  package static func random() -> PartyKeys { PartyKeys(signing: .random(), agreement: .random()) }

  private init(signing: SigningKey, agreement: AgreementKey) {
    self.signing = signing
    self.agreement = agreement
  }

  /// Both keys from 64 secret bytes: the signing seed, then the agreement secret. Another size throws
  /// ``CryptoError/invalidSize``.
  package init(secret: SecretBytes) throws(CryptoError) {
    guard secret.count == 64 else { throw .invalidSize }
    signing = try SigningKey(seed: secret.slice(0..<32))
    agreement = try AgreementKey(secret: secret.slice(32..<64))
  }

  /// The 64 secret bytes that make these keys again.
  package var secret: SecretBytes { SecretBytes(joining: signing.seed, agreement.secret) }

  /// The public halves.
  package var publicKeys: PartyPublicKeys {
    PartyPublicKeys(verifying: signing.publicKey, box: agreement.publicKey)
  }
}

/// The public halves of ``PartyKeys``.
package struct PartyPublicKeys: Hashable, Sendable {
  /// Verifies what the party signed.
  package let verifying: VerifyingKey
  /// Seals to the party.
  package let box: BoxKey

  /// Pairs the two keys.
  package init(verifying: VerifyingKey, box: BoxKey) {
    self.verifying = verifying
    self.box = box
  }
}
