internal import CLibcrypto
package import CofferCrypto

/// An operation with an RSA key that swift-crypto lacks.
package struct RSAOperation: Sendable {
  /// The padding of a digest or a plaintext.
  package enum Padding: Sendable, Equatable {
    /// The input is as long as the modulus.
    case none
    /// PKCS #1 v1.5, with the identifier of the hash function before the digest; nil for none.
    case pkcs1(DigestAlgorithm?)
    /// PSS with the same hash function for the mask, and a salt of the length of the digest.
    case pss(DigestAlgorithm)
    /// OAEP with the same hash function for the mask.
    case oaep(DigestAlgorithm)
  }

  private let padding: Padding
  /// The length of the modulus, in bytes.
  private let blockByteCount: Int

  /// Takes the length of the modulus, in bytes.
  package init(_ padding: Padding, blockByteCount: Int) {
    self.padding = padding
    self.blockByteCount = blockByteCount
  }

  /// Signs a digest with a private key in PKCS #1. Throws `damaged` if the digest does not fit the key and the padding.
  package func signature(of digest: [UInt8], by key: [UInt8]) throws(OpenSSLError) -> [UInt8] {
    try run(COFFER_RSA_SIGN, key, digest)
  }

  /// Verifies a signature of a digest with a public key as SubjectPublicKeyInfo.
  package func verifies(_ signature: [UInt8], of digest: [UInt8], by key: [UInt8]) throws(OpenSSLError) -> Bool {
    do throws(OpenSSLError) {
      _ = try run(COFFER_RSA_VERIFY, key, digest, signature)
      return true
    } catch {
      guard error == .damaged else { throw error }
      return false
    }
  }

  /// Encrypts a plaintext to a public key as SubjectPublicKeyInfo. Throws `damaged` if it does not fit the key and the
  /// padding.
  package func encrypt(_ plaintext: [UInt8], to key: [UInt8]) throws(OpenSSLError) -> [UInt8] {
    try run(COFFER_RSA_ENCRYPT, key, plaintext)
  }

  /// Decrypts a ciphertext with a private key in PKCS #1. The caller wipes the plaintext. Throws `damaged` if it was
  /// not encrypted for the key with this padding.
  package func decrypt(_ ciphertext: [UInt8], by key: [UInt8]) throws(OpenSSLError) -> [UInt8] {
    try run(COFFER_RSA_DECRYPT, key, ciphertext)
  }

  private func run(
    _ operation: coffer_rsa_operation, _ key: [UInt8], _ input: [UInt8], _ signature: [UInt8] = []
  ) throws(OpenSSLError) -> [UInt8] {
    let (name, algorithm) = padding.names
    var output = [UInt8](repeating: 0, count: blockByteCount)
    defer { output.wipe() }
    var count = output.count
    let status = unsafe withBytes(key) { key in
      unsafe withBytes(input) { input in
        unsafe withBytes(signature) { signature in
          unsafe withOptionalCString(algorithm) { algorithm in
            unsafe name.withCString { name in
              var request = unsafe coffer_rsa_request(
                operation: operation, key: key, padding: name, algorithm: algorithm, input: input,
                signature: signature)
              return unsafe output.withUnsafeMutableBufferPointer { output in
                unsafe coffer_rsa_run(&request, output.baseAddress, &count)
              }
            }
          }
        }
      }
    }
    try Libcrypto.check(status)
    return Array(output.prefix(count))
  }
}

extension RSAOperation.Padding {
  /// OpenSSL's names of the padding and its hash function.
  fileprivate var names: (padding: String, algorithm: String?) {
    switch self {
    case .none: ("none", nil)
    case .pkcs1(let algorithm): ("pkcs1", algorithm?.name)
    case .pss(let algorithm): ("pss", algorithm.name)
    case .oaep(let algorithm): ("oaep", algorithm.name)
    }
  }
}

/// A hash function, with the length of its digests in bytes, and the key derivation with it.
///
/// OpenSSL computes both. Only what swift-crypto lacks needs it: SHA-224.
package enum DigestAlgorithm: Int, Sendable, CaseIterable {
  case sha1 = 20
  case sha224 = 28
  case sha256 = 32
  case sha384 = 48
  case sha512 = 64

  /// The name of the function, as OpenSSL and Apple's algorithms have it.
  package var name: String {
    switch self {
    case .sha1: "SHA1"
    case .sha224: "SHA224"
    case .sha256: "SHA256"
    case .sha384: "SHA384"
    case .sha512: "SHA512"
    }
  }

  package func digest(of message: [UInt8]) throws(OpenSSLError) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(COFFER_MAXIMUM_DIGEST))
    var count = digest.count
    let status = unsafe withBytes(message) { message in
      unsafe digest.withUnsafeMutableBufferPointer { digest in
        unsafe coffer_digest(name, message, digest.baseAddress, &count)
      }
    }
    try Libcrypto.check(status)
    guard count == rawValue else { throw .failed }
    return Array(digest.prefix(count))
  }

  /// Derives a key of `count` bytes from a shared secret (ANSI X9.63). The caller wipes both.
  package func derivedKey(
    from secret: [UInt8], sharedInfo: [UInt8], count: Int
  ) throws(OpenSSLError) -> [UInt8] {
    var key = [UInt8](repeating: 0, count: count)
    let status = unsafe withBytes(secret) { secret in
      unsafe withBytes(sharedInfo) { sharedInfo in
        unsafe key.withUnsafeMutableBufferPointer { key in
          unsafe coffer_x963_derive(name, secret, sharedInfo, key.baseAddress, key.count)
        }
      }
    }
    try Libcrypto.check(status)
    return key
  }
}

/// Powers modulo a number, with secret exponents, for a Diffie-Hellman exchange.
package enum ModularPower {
  /// Returns a base to the power of a secret exponent modulo an odd number, big-endian and as long as the modulus. The
  /// time does not depend on the exponent. Throws `unavailable` if OpenSSL cannot be loaded, `damaged` if the base has
  /// more bytes than the modulus.
  package static func compute(
    _ base: [UInt8], _ exponent: SecretBytes, modulo modulus: [UInt8]
  ) throws(OpenSSLError) -> SecretText {
    try SecretText(capacity: modulus.count) { (buffer) throws(OpenSSLError) in
      try unsafe buffer.append { (output) throws(OpenSSLError) in
        let status = unsafe exponent.withBytes { exponent in
          unsafe base.withUnsafeBufferPointer { base in
            unsafe modulus.withUnsafeBufferPointer { modulus in
              unsafe coffer_modular_power(
                coffer_bytes(start: base.baseAddress, count: base.count),
                coffer_bytes(start: exponent.bindMemory(to: UInt8.self).baseAddress, count: exponent.count),
                coffer_bytes(start: modulus.baseAddress, count: modulus.count),
                output.bindMemory(to: UInt8.self).baseAddress)
            }
          }
        }
        try Libcrypto.check(status)
        return modulus.count
      }
    }
  }
}
