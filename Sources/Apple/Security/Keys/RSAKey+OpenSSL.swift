internal import CofferCrypto
internal import CofferOpenSSL
internal import CryptoExtras
internal import Foundation

/// Operations that swift-crypto lacks.
extension _RSA.Signing.PrivateKey {
  /// Returns the signature of a digest. Throws `damaged` if the digest does not fit the key and the padding.
  func signature(of digest: [UInt8], _ padding: RSAOperation.Padding) throws(OpenSSLError) -> [UInt8] {
    // Without padding, the signature is the decrypted number.
    guard padding != .none else { return try decrypt(digest, padding) }
    var key = [UInt8](derRepresentation)
    defer { key.wipe() }
    return try RSAOperation(padding, blockByteCount: blockByteCount).signature(of: digest, by: key)
  }

  /// Decrypts a ciphertext. The caller wipes the plaintext, which without padding has as many bytes as the modulus.
  /// Throws `damaged` if it was not encrypted for the key with this padding.
  func decrypt(_ ciphertext: [UInt8], _ padding: RSAOperation.Padding) throws(OpenSSLError) -> [UInt8] {
    var key = [UInt8](derRepresentation)
    defer { key.wipe() }
    let input = padding == .none ? ciphertext.asNumber(byteCount: blockByteCount) : ciphertext
    return try RSAOperation(padding, blockByteCount: blockByteCount).decrypt(input, by: key)
  }

  private var blockByteCount: Int { (keySizeInBits + 7) / 8 }
}

extension _RSA.Signing.PublicKey {
  func verifies(
    _ signature: [UInt8], of digest: [UInt8], _ padding: RSAOperation.Padding
  ) throws(OpenSSLError) -> Bool {
    guard padding != .none else {
      // Apple's rule: without padding, zeros at the start are no part of what was signed.
      do throws(OpenSSLError) {
        return try encrypt(signature, padding).drop { $0 == 0 }.elementsEqual(digest)
      } catch {
        guard error == .damaged else { throw error }
        return false
      }
    }
    return try RSAOperation(padding, blockByteCount: blockByteCount)
      .verifies(signature, of: digest, by: [UInt8](derRepresentation))
  }

  /// Encrypts a plaintext. Throws `damaged` if it does not fit the key and the padding.
  func encrypt(_ plaintext: [UInt8], _ padding: RSAOperation.Padding) throws(OpenSSLError) -> [UInt8] {
    let input = padding == .none ? plaintext.asNumber(byteCount: blockByteCount) : plaintext
    return try RSAOperation(padding, blockByteCount: blockByteCount).encrypt(input, to: [UInt8](derRepresentation))
  }

  private var blockByteCount: Int { (keySizeInBits + 7) / 8 }
}

extension [UInt8] {
  /// Returns the number that the bytes are, with zeros in front if they are fewer.
  fileprivate func asNumber(byteCount: Int) -> [UInt8] {
    Array(repeating: 0, count: Swift.max(byteCount - count, 0)) + self
  }
}
