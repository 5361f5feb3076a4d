internal import CSodium

/// The secret half of an Ed25519 key pair.
package struct SigningKey: Sendable {
  /// The 32-byte seed of the pair.
  package let seed: SecretBytes
  private let expanded: SecretBytes
  /// The public half.
  package let publicKey: VerifyingKey

  /// Generates a random pair.
  package static func random() -> SigningKey { SigningKey(unchecked: .random(count: 32)) }

  /// Creates the pair of a 32-byte seed.
  package init(seed: SecretBytes) throws(CryptoError) {
    guard seed.count == 32 else { throw .invalidSize }
    self.init(unchecked: seed)
  }

  private init(unchecked seed: SecretBytes) {
    Sodium.require()
    var publicBytes = [UInt8](repeating: 0, count: 32)
    expanded = unsafe SecretBytes(count: 64) { buffer in
      unsafe seed.withBytes { seed in
        _ = unsafe crypto_sign_seed_keypair(
          &publicBytes, buffer.octets, seed.octets)
      }
    }
    self.seed = seed
    publicKey = VerifyingKey(Bytes32(publicBytes) ?? .zero)
  }

  /// Signs a digest for one purpose: Ed25519 over the domain followed by the digest.
  package func sign(_ digest: Bytes32, domain: Domain) -> Signature {
    let message = domain.bytes + digest.bytes
    var signature = [UInt8](repeating: 0, count: Signature.count)
    unsafe expanded.withBytes { key in
      _ = unsafe crypto_sign_detached(
        &signature, nil, message, UInt64(message.count), key.octets)
    }
    return Signature(unchecked: signature)
  }
}
