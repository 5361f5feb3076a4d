internal import CSodium

/// An X25519 key pair's secret half: opens sealed boxes.
package struct AgreementKey: Sendable {
  /// The 32-byte secret scalar.
  package let secret: SecretBytes
  /// The public half.
  package let publicKey: BoxKey

  /// A fresh pair.
  package static func random() -> AgreementKey { AgreementKey(unchecked: .random(count: 32)) }

  /// The pair of a 32-byte secret; another size throws ``CryptoError/invalidSize``.
  package init(secret: SecretBytes) throws(CryptoError) {
    guard secret.count == 32 else { throw .invalidSize }
    self.init(unchecked: secret)
  }

  private init(unchecked secret: SecretBytes) {
    Sodium.require()
    var publicBytes = [UInt8](repeating: 0, count: 32)
    unsafe secret.withBytes { secret in
      _ = unsafe crypto_scalarmult_base(&publicBytes, secret.octets)
    }
    self.secret = secret
    publicKey = BoxKey(Bytes32(publicBytes) ?? .zero)
  }

  /// Opens a box that was sealed to the public half, into guarded memory. Throws
  /// ``CryptoError/authenticationFailed`` for somebody else's box or altered bytes.
  package func open(_ box: [UInt8]) throws(CryptoError) -> SecretBytes {
    let count = box.count - BoxKey.overheadByteCount
    guard count >= 0, count <= GuardedArena.slotByteCount else { throw .authenticationFailed }
    return try unsafe SecretBytes(count: count) { (buffer) throws(CryptoError) in
      let opened = unsafe secret.withBytes { secret in
        unsafe crypto_box_seal_open(
          buffer.octets, box, UInt64(box.count), publicKey.raw.bytes,
          secret.octets) == 0
      }
      guard opened else { throw .authenticationFailed }
    }
  }
}

/// An X25519 public key: secrets are sealed to it.
package struct BoxKey: Hashable, Sendable {
  /// What sealing adds: an ephemeral public key of 32 bytes and a tag of 16.
  package static let overheadByteCount = 48
  /// The 32 bytes of the key.
  package let raw: Bytes32

  /// Takes the bytes as they are; sealing to an unusable point throws.
  package init(_ raw: Bytes32) { self.raw = raw }

  /// Seals a secret so that only the holder of the private half opens it (crypto_box_seal). Throws
  /// ``CryptoError/invalidPublicKey`` for a point of small order.
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
}
