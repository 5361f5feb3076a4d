/// The public halves of ``PartyKeys``.
package struct PartyPublicKeys: Hashable, Sendable {
  /// The key that verifies the party's signatures.
  package let verifying: VerifyingKey
  /// The key that seals secrets to the party.
  package let box: BoxKey

  /// Creates a pair from the two public keys.
  package init(verifying: VerifyingKey, box: BoxKey) {
    self.verifying = verifying
    self.box = box
  }
}
