internal import CSodium

/// Argon2id (RFC 9106), version 1.3.
package enum PasswordHash {
  /// The salt's size in bytes.
  package static let saltByteCount = 16

  /// The accepted sizes of a passphrase in bytes.
  package static let passphraseByteCounts = 1...1024

  /// Derives a key from a passphrase of 1…1024 bytes and a 16-byte salt. Throws ``CryptoError/outOfMemory`` if the
  /// machine cannot provide the memory that the cost requires.
  package static func key(
    passphrase: SecretText, salt: Bytes16, cost: PasswordHashCost
  ) throws(CryptoError) -> SymmetricKey {
    Sodium.require()
    guard passphraseByteCounts.contains(passphrase.count) else { throw .invalidSize }
    let secret = try unsafe SecretBytes(count: 32) { (buffer) throws(CryptoError) in
      let outcome = unsafe passphrase.withBytes { passphrase in
        unsafe crypto_pwhash(
          buffer.octets, 32,
          UnsafeRawPointer(passphrase.octets).assumingMemoryBound(to: CChar.self), UInt64(passphrase.count), salt.bytes,
          UInt64(cost.passes), Int(cost.memoryKiB) * 1024, crypto_pwhash_ALG_ARGON2ID13)
      }
      guard outcome == 0 else { throw .outOfMemory }
    }
    return SymmetricKey(unchecked: secret)
  }
}
