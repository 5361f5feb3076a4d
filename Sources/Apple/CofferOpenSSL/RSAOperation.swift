internal import CLibcrypto
internal import CofferCrypto

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
