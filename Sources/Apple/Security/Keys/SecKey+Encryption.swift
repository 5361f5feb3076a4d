internal import CofferCrypto
public import Foundation

/// Encrypts data with a public key.
///
/// - Parameters:
///   - key: The public key.
///   - algorithm: The algorithm: for RSA `rsaEncryptionPKCS1`, `rsaEncryptionOAEP…` or `rsaEncryptionRaw`; for EC
///     `eciesEncryption…`.
///   - plaintext: The data. For RSA, at most the length of the modulus, minus 11 bytes for PKCS #1, or twice the length of
///     the digest and 2 bytes for OAEP.
///   - error: Set to an error that the caller must release if the result is nil: `errSecParam`; `errSecNotAvailable` if the
///     algorithm needs OpenSSL and it is not installed.
/// - Returns: For RSA, as many bytes as the modulus has; for EC, as many as the data, a point and 16. Nil if the key does
///   not support the algorithm or the data is too long.
@discardableResult
public func SecKeyCreateEncryptedData(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ plaintext: CFData, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  unsafe reporting(to: error) { () throws(SecurityError) in
    OwnedData(try key.encrypt(Data(referencing: plaintext), by: algorithm))
  }
}

/// Decrypts data with a private key.
///
/// - Parameters:
///   - key: The private key.
///   - algorithm: The algorithm with which the data was encrypted.
///   - ciphertext: The encrypted data.
///   - error: Set to an error that the caller must release if the result is nil: `errSecParam`; `errSecNotAvailable` if the
///     algorithm needs OpenSSL and it is not installed.
/// - Returns: The plaintext; nil if the key does not support the algorithm or the data was not encrypted with its
///   public key.
@discardableResult
public func SecKeyCreateDecryptedData(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ ciphertext: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  unsafe reporting(to: error) { () throws(SecurityError) in
    var plaintext = try key.decrypt(Data(referencing: ciphertext), by: algorithm)
    defer { plaintext.wipe() }
    return OwnedData(plaintext)
  }
}

extension SecKey {
  /// Encrypts data, with the errors of ``SecKeyCreateEncryptedData(_:_:_:_:)``.
  func encrypt(_ plaintext: Data, by algorithm: SecKeyAlgorithm) throws(SecurityError) -> [UInt8] {
    guard case .public(let publicKey) = material, let scheme = EncryptionScheme(algorithm),
      scheme.isSupported(by: self)
    else { throw SecurityError(errSecParam, "the key does not support encryption with this algorithm") }
    return try scheme.encrypt(plaintext, to: publicKey)
  }

  /// Decrypts data, with the errors of ``SecKeyCreateDecryptedData(_:_:_:_:)``. The caller wipes the plaintext.
  func decrypt(_ ciphertext: Data, by algorithm: SecKeyAlgorithm) throws(SecurityError) -> [UInt8] {
    guard case .private(let privateKey) = material, let scheme = EncryptionScheme(algorithm),
      scheme.isSupported(by: self)
    else { throw SecurityError(errSecParam, "the key does not support decryption with this algorithm") }
    return try scheme.decrypt(ciphertext, by: privateKey)
  }
}
