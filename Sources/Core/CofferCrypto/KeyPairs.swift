internal import CSodium

/// The two secret keys of a root, admin, device or principal: one for signing, one for opening boxes.
package struct PartyKeys: Sendable {
  package let signing: SigningKey
  /// The key that opens boxes sealed to the party.
  package let agreement: AgreementKey

  private init(signing: SigningKey, agreement: AgreementKey) {
    self.signing = signing
    self.agreement = agreement
  }

  package static func random() -> PartyKeys { PartyKeys(signing: .random(), agreement: .random()) }

  /// The 64 secret bytes from which ``init(secret:)`` creates the same keys.
  package var secret: SecretBytes { SecretBytes(joining: signing.seed, agreement.secret) }

  /// The public halves of both keys.
  package var publicKeys: PartyPublicKeys {
    PartyPublicKeys(verifying: signing.publicKey, box: agreement.publicKey)
  }
}

extension PartyKeys {
  /// Creates both keys from 64 secret bytes: the signing seed, then the agreement secret.
  package init(secret: SecretBytes) throws(CryptoError) {
    guard secret.count == 64 else { throw .invalidSize }
    signing = try SigningKey(seed: secret.slice(0..<32))
    agreement = try AgreementKey(secret: secret.slice(32..<64))
  }
}

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

/// An Ed25519 signature, 64 bytes.
package struct Signature: Hashable, Sendable {
  /// The number of bytes.
  package static let count = 64
  package let bytes: [UInt8]

  /// Creates a signature from exactly 64 bytes; nil for any other number.
  package init?(_ bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.bytes = bytes
  }

  init(unchecked bytes: [UInt8]) { self.bytes = bytes }
}

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
