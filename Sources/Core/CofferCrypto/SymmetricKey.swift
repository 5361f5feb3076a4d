internal import CSodium

/// A 256-bit key that seals and opens messages (XChaCha20-Poly1305 with random nonces), derives subkeys and hashes.
package struct SymmetricKey: Sendable {
  /// The 32 bytes of the key.
  package let secret: SecretBytes

  /// The number of bytes that sealing adds to a message: a nonce of 24 before it and a tag of 16 after it.
  package static let overheadByteCount = 40

  private static let nonceByteCount = 24

  package static func random() -> SymmetricKey { SymmetricKey(unchecked: .random(count: 32)) }

  /// Creates a key from exactly 32 secret bytes.
  package init(_ secret: SecretBytes) throws(CryptoError) {
    guard secret.count == 32 else { throw .invalidSize }
    self.secret = secret
  }

  init(unchecked secret: SecretBytes) { self.secret = secret }

  /// Derives a subkey (crypto_kdf) for the purpose that `context` (8 ASCII characters) and `number` identify.
  package func derived(context: StaticString, number: UInt64 = 1) -> SymmetricKey {
    let label = Array(context.description.utf8)
    precondition(label.count == 8, "a derivation context has 8 bytes")
    let subkey = unsafe SecretBytes(count: 32) { buffer in
      unsafe secret.withBytes { key in
        let context = label.map { CChar(bitPattern: $0) }
        let outcome = unsafe crypto_kdf_derive_from_key(
          buffer.octets, 32, number, context,
          key.octets)
        precondition(outcome == 0, "crypto_kdf refused its parameters")
      }
    }
    return SymmetricKey(unchecked: subkey)
  }

  /// Derives a key for what has an identifier.
  package func key(from identifier: Bytes16, domain: Domain) -> SymmetricKey {
    Hash.key(from: identifier, key: secret, domain: domain)
  }

  /// Returns a keyed BLAKE2b digest of 16 bytes, for tokens and item identifiers.
  package func keyedHash16(_ bytes: [UInt8], domain: Domain) -> Bytes16 {
    Hash.keyed16(bytes, key: secret, domain: domain)
  }

  /// Returns a keyed BLAKE2b digest of 16 bytes, without an array of what is hashed.
  package func keyedHash16(_ bytes: Bytes32, domain: Domain) -> Bytes16 {
    unsafe bytes.withBytes { unsafe Hash.keyed16($0, key: secret, domain: domain) }
  }

  /// Returns a keyed BLAKE2b digest of 32 bytes, for message authentication.
  package func keyedHash32(_ bytes: [UInt8], domain: Domain) -> Bytes32 {
    Hash.keyed32(bytes, key: secret, domain: domain)
  }

  /// Returns a keyed BLAKE2b digest of a secret, to compare it later.
  package func keyedHash32(_ text: SecretText, domain: Domain) -> Bytes32 {
    Hash.keyed32(text, key: secret, domain: domain)
  }

  /// Seals `plain` and authenticates `associated` with it. The result is nonce, ciphertext, tag.
  package func seal(_ plain: [UInt8], associated: [UInt8]) -> [UInt8] {
    unsafe plain.withUnsafeBytes { unsafe seal(raw: $0, associated: associated) }
  }

  /// Seals a secret without copying it outside guarded memory.
  package func seal(_ plain: SecretBytes, associated: [UInt8]) -> [UInt8] {
    unsafe plain.withBytes { unsafe seal(raw: $0, associated: associated) }
  }

  private func seal(raw plain: UnsafeRawBufferPointer, associated: [UInt8]) -> [UInt8] {
    let total = plain.count + Self.overheadByteCount
    return unsafe secret.withBytes { key in
      unsafe [UInt8](unsafeUninitializedCapacity: total) { output, filled in
        guard let start = output.baseAddress else { return }
        unsafe randombytes_buf(start, Self.nonceByteCount)
        let outcome = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
          start + Self.nonceByteCount, nil, plain.bindMemory(to: UInt8.self).baseAddress, UInt64(plain.count),
          associated, UInt64(associated.count), nil, start, key.octets)
        precondition(outcome == 0, "XChaCha20-Poly1305 refused its parameters")
        filled = total
      }
    }
  }

  /// Opens the result of ``seal(_:associated:)-(Array<UInt8>,_)``. Throws ``CryptoError/authenticationFailed`` for a
  /// wrong key, altered bytes or other associated data.
  package func open(_ sealed: [UInt8], associated: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard sealed.count >= Self.overheadByteCount else { throw .authenticationFailed }
    var authentic = false
    let plain = unsafe [UInt8](unsafeUninitializedCapacity: sealed.count - Self.overheadByteCount) { output, filled in
      authentic = unsafe open(sealed, into: output.baseAddress, associated: associated)
      filled = authentic ? sealed.count - Self.overheadByteCount : 0
    }
    guard authentic else { throw .authenticationFailed }
    return plain
  }

  /// Opens a sealed secret of at most 64 bytes, directly into guarded memory.
  package func openSecret(_ sealed: [UInt8], associated: [UInt8]) throws(CryptoError) -> SecretBytes {
    let count = sealed.count - Self.overheadByteCount
    guard count >= 0, count <= GuardedArena.slotByteCount else { throw .authenticationFailed }
    return try unsafe SecretBytes(count: count) { (buffer) throws(CryptoError) in
      let output = unsafe buffer.octets
      guard unsafe open(sealed, into: output, associated: associated) else { throw .authenticationFailed }
    }
  }

  private func open(_ sealed: [UInt8], into output: UnsafeMutablePointer<UInt8>?, associated: [UInt8]) -> Bool {
    unsafe secret.withBytes { key in
      unsafe sealed.withUnsafeBufferPointer { sealed in
        guard let start = sealed.baseAddress else { return false }
        return unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
          output, nil, nil, start + Self.nonceByteCount, UInt64(sealed.count - Self.nonceByteCount),
          associated, UInt64(associated.count), start, key.octets) == 0
      }
    }
  }
}

/// The reason why a cryptographic operation failed. It never contains key material or plain text.
package enum CryptoError: Error, Hashable, Sendable {
  /// A sealed message, box or slot could not be authenticated: the key is wrong or the bytes were altered.
  case authenticationFailed
  /// An input has a size that the primitive does not accept.
  case invalidSize
  /// A public key is not a usable point.
  case invalidPublicKey
  /// Password-hashing parameters are outside the range that this program accepts.
  case parametersRefused
  /// The system has no memory left for the operation.
  case outOfMemory
}
