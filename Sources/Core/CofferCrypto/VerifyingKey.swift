internal import CSodium

/// An Ed25519 public key.
package struct VerifyingKey: Hashable, Sendable {
  package let raw: Bytes32

  /// Creates a key without checking it. A key that is not a point on the curve verifies no signature.
  package init(_ raw: Bytes32) { self.raw = raw }

  /// Returns true if the secret half made `signature` over this digest and domain.
  package func verifies(_ signature: Signature, of digest: Bytes32, domain: Domain) -> Bool {
    Sodium.require()
    let message = domain.bytes + digest.bytes
    return unsafe crypto_sign_verify_detached(signature.bytes, message, UInt64(message.count), raw.bytes) == 0
  }
}
