package import CofferCrypto
package import CofferOpenSSL
internal import Crypto
internal import CryptoExtras

/// How the secrets of a session travel over the bus.
package enum TransportSession: Sendable {
  /// As they are.
  case plain
  /// Under AES-128 with CBC and PKCS #7 padding.
  case encrypted(key: SecretBytes)

  package static let plainName = "plain"
  package static let encryptedName = "dh-ietf1024-sha256-aes128-cbc-pkcs7"

  /// A secret as it travels.
  package struct Sealed: Equatable, Sendable {
    /// The initialisation vector; empty for a plain session.
    package let parameters: [UInt8]
    package let value: [UInt8]

    package init(parameters: [UInt8], value: [UInt8]) {
      self.parameters = parameters
      self.value = value
    }
  }

  /// Returns a secret as it is sent; nil if it cannot be encrypted.
  package func seal(_ secret: [UInt8]) -> Sealed? {
    guard case .encrypted(let key) = self else { return Sealed(parameters: [], value: secret) }
    let vector = Random.bytes(count: 16)
    guard let iv = try? AES._CBC.IV(ivBytes: vector),
      let sealed = try? AES._CBC.encrypt(secret, using: Self.symmetricKey(key), iv: iv)
    else { return nil }
    return Sealed(parameters: vector, value: [UInt8](sealed))
  }

  /// Returns a secret that has arrived; nil if it was not encrypted with the key of the session.
  package func open(_ sealed: Sealed) -> [UInt8]? {
    guard case .encrypted(let key) = self else { return sealed.value }
    guard sealed.parameters.count == 16, !sealed.value.isEmpty, sealed.value.count.isMultiple(of: 16),
      let iv = try? AES._CBC.IV(ivBytes: sealed.parameters),
      let secret = try? AES._CBC.decrypt(sealed.value, using: Self.symmetricKey(key), iv: iv)
    else { return nil }
    return [UInt8](secret)
  }

  private static func symmetricKey(_ key: SecretBytes) -> Crypto.SymmetricKey {
    unsafe key.withBytes { unsafe Crypto.SymmetricKey(data: $0) }
  }
}

/// The exchange of `dh-ietf1024-sha256-aes128-cbc-pkcs7`: Diffie-Hellman in the second Oakley group (RFC 2409, section
/// 6.2), and HKDF with SHA-256 (RFC 5869), without salt and info.
package struct KeyExchange: Sendable {
  private let exponent: SecretBytes
  /// This side's public key, 128 bytes.
  package let publicKey: [UInt8]

  /// Creates a new key. Throws `unavailable` if OpenSSL is not installed.
  package static func random() throws(OpenSSLError) -> KeyExchange {
    // Twice the strength of the group, which is below 100 bits.
    try KeyExchange(exponent: .random(count: 32))
  }

  package init(exponent: SecretBytes) throws(OpenSSLError) {
    self.exponent = exponent
    let key = try ModularPower.compute([2], exponent, modulo: Self.prime)
    publicKey = unsafe key.withBytes { unsafe Array($0) }
  }

  /// Returns the key that both sides share, of 16 bytes; nil for a public key that is none of the group, or that would
  /// make the shared secret known.
  package func sharedKey(with peer: [UInt8]) throws(OpenSSLError) -> SecretBytes? {
    guard let peer = Self.validated(peer) else { return nil }
    let secret = try ModularPower.compute(peer, exponent, modulo: Self.prime)
    return unsafe secret.withBytes { bytes in
      let input = unsafe Crypto.SymmetricKey(data: bytes)
      let key = HKDF<SHA256>.deriveKey(inputKeyMaterial: input, outputByteCount: 16)
      return unsafe SecretBytes(count: 16) { buffer in
        unsafe key.withUnsafeBytes { unsafe buffer.copyBytes(from: $0) }
      }
    }
  }

  /// Returns a public key without leading zeros; nil unless it is from 2 to the prime less 2.
  private static func validated(_ key: [UInt8]) -> [UInt8]? {
    // A few zeros before it are harmless, and a message is longer than any number.
    guard key.count <= 2 * prime.count else { return nil }
    let key = Array(key.drop { $0 == 0 })
    guard key.count < prime.count || key.count == prime.count && key.lexicographicallyPrecedes(largest) else {
      return nil
    }
    return key.count > 1 || (key.first ?? 0) > 1 ? key : nil
  }

  /// The prime less 1, whose square is 1.
  private static let largest = prime.dropLast() + [prime[prime.count - 1] - 1]

  /// The prime of the group.
  package static let prime: [UInt8] =
    bytes(
      hexadecimal: "ffffffffffffffffc90fdaa22168c234c4c6628b80dc1cd129024e088a67cc74"
        + "020bbea63b139b22514a08798e3404ddef9519b3cd3a431b302b0a6df25f1437"
        + "4fe1356d6d51c245e485b576625e7ec6f44c42e9a637ed6b0bff5cb6f406b7ed"
        + "ee386bfb5a899fa5ae9f24117c4b1fe649286651ece65381ffffffffffffffff") ?? []
}
