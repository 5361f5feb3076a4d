internal import CSodium

/// The secret half of an X25519 key pair, which opens sealed boxes.
package struct AgreementKey: Sendable {
  /// The 32-byte secret scalar.
  package let secret: SecretBytes
  /// The public half.
  package let publicKey: BoxKey

  /// Generates a random pair.
  package static func random() -> AgreementKey { AgreementKey(unchecked: .random(count: 32)) }

  /// Creates the pair of a 32-byte secret.
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

  /// Opens a box that was sealed to the public half, into guarded memory. Throws ``CryptoError/authenticationFailed``
  /// if the box is altered or was sealed to another key.
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
