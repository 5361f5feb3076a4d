internal import CSodium

/// An Ed25519 key pair's secret half.
package struct SigningKey: Sendable {
  /// The 32-byte seed from which the pair is made.
  package let seed: SecretBytes
  private let expanded: SecretBytes
  /// The public half.
  package let publicKey: VerifyingKey

  /// A fresh pair.
  package static func random() -> SigningKey { SigningKey(unchecked: .random(count: 32)) }

  /// The pair that a 32-byte seed makes; another size throws ``CryptoError/invalidSize``.
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

  /// Signs a digest for one purpose: Ed25519 over domain and digest.
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

/// An Ed25519 public key.
package struct VerifyingKey: Hashable, Sendable {
  /// The 32 bytes of the key.
  package let raw: Bytes32

  /// Takes the bytes as they are; a key that is no point on the curve verifies nothing.
  package init(_ raw: Bytes32) { self.raw = raw }

  /// True where `signature` was made by the secret half over this digest and domain.
  package func verifies(_ signature: Signature, of digest: Bytes32, domain: Domain) -> Bool {
    Sodium.require()
    let message = domain.bytes + digest.bytes
    return unsafe crypto_sign_verify_detached(signature.bytes, message, UInt64(message.count), raw.bytes) == 0
  }
}

/// An Ed25519 signature, 64 bytes.
package struct Signature: Hashable, Sendable {
  /// The number of bytes.
  package static let count = 64
  /// The bytes.
  package let bytes: [UInt8]

  /// Takes exactly 64 bytes; any other number gives nil.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.bytes = bytes
  }

  init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}
