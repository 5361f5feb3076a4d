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

/// The cost parameters of Argon2id, stored beside the data that a passphrase protects.
package struct PasswordHashCost: Hashable, Sendable {
  /// The number of passes over the memory, 1…64.
  package let passes: UInt32
  /// The memory in KiB, from 8 MiB to 2 GiB.
  package let memoryKiB: UInt32

  /// The cost for new passphrases: 3 passes over 256 MiB, libsodium's "moderate" (about half a second).
  package static let standard = PasswordHashCost(uncheckedPasses: 3, memoryKiB: 256 * 1024)

  /// The cost for passwords of single items, which may be needed at each read: 2 passes over 64 MiB, libsodium's
  /// "interactive" (about a tenth of a second).
  package static let interactive = PasswordHashCost(uncheckedPasses: 2, memoryKiB: 64 * 1024)

  /// The lowest cost that is accepted when reading. An attacker may have stored a lower one to make guessing cheap.
  package static let floor = PasswordHashCost(uncheckedPasses: 1, memoryKiB: 8 * 1024)

  /// The highest cost that is accepted when reading. An attacker may have stored a higher one to exhaust the machine.
  package static let ceiling = PasswordHashCost(uncheckedPasses: 64, memoryKiB: 2 * 1024 * 1024)

  private init(uncheckedPasses: UInt32, memoryKiB: UInt32) {
    passes = uncheckedPasses
    self.memoryKiB = memoryKiB
  }

  /// Throws ``CryptoError/parametersRefused`` outside ``floor`` … ``ceiling``.
  package init(passes: UInt32, memoryKiB: UInt32) throws(CryptoError) {
    guard (Self.floor.passes...Self.ceiling.passes).contains(passes),
      (Self.floor.memoryKiB...Self.ceiling.memoryKiB).contains(memoryKiB)
    else { throw .parametersRefused }
    self.init(uncheckedPasses: passes, memoryKiB: memoryKiB)
  }
}
