internal import CSodium

/// An X25519 public key, to which secrets are sealed.
package struct BoxKey: Hashable, Sendable {
  /// The number of bytes that sealing adds: an ephemeral public key of 32 and a tag of 16.
  package static let overheadByteCount = 48
  package let raw: Bytes32

  /// Creates a key without checking it. ``seal(_:)`` throws for an unusable point.
  package init(_ raw: Bytes32) { self.raw = raw }

  /// Seals a secret so that only the holder of the secret half can open it (crypto_box_seal). Throws
  /// ``CryptoError/invalidPublicKey`` if the key is a point of small order.
  package func seal(_ secret: SecretBytes) throws(CryptoError) -> [UInt8] {
    Sodium.require()
    var box = [UInt8](repeating: 0, count: secret.count + Self.overheadByteCount)
    let outcome = unsafe secret.withBytes { plain in
      unsafe crypto_box_seal(
        &box, plain.octets, UInt64(plain.count), raw.bytes)
    }
    guard outcome == 0 else { throw .invalidPublicKey }
    return box
  }

  /// Seals a secret or, if the key is unusable, returns random bytes in the form of a box. Whoever states such a key in
  /// the membership log gets no secret, and keeps nobody from sealing it to the others.
  package func sealOrDecoy(_ secret: SecretBytes) -> [UInt8] {
    (try? seal(secret)) ?? Random.bytes(count: secret.count + Self.overheadByteCount)
  }
}
