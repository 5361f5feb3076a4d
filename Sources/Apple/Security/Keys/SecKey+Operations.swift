internal import CofferCrypto
internal import CofferOpenSSL
public import Foundation

/// The operations of keys.
public enum SecKeyOperationType: CFIndex, Sendable {
  /// Signing.
  case sign = 0
  /// Verifying a signature.
  case verify = 1
  /// Encrypting.
  case encrypt = 2
  /// Decrypting.
  case decrypt = 3
  /// Agreeing on a shared secret.
  case keyExchange = 4
}

/// Returns whether a key supports an operation with an algorithm.
///
/// Private keys sign, decrypt and exchange keys; public keys verify and encrypt. Algorithms that need OpenSSL are not
/// supported if it is not installed.
@discardableResult
public func SecKeyIsAlgorithmSupported(
  _ key: SecKey, _ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm
) -> Bool {
  let needsOpenSSL: Bool
  switch operation {
  case .sign, .verify:
    guard key.keyClass == (operation == .sign ? .private : .public), let scheme = SignatureScheme(algorithm),
      key.supports(scheme)
    else { return false }
    needsOpenSSL = scheme.needsOpenSSL(for: key.publicKey.type)
  case .encrypt, .decrypt:
    guard key.keyClass == (operation == .decrypt ? .private : .public), let scheme = EncryptionScheme(algorithm),
      scheme.isSupported(by: key)
    else { return false }
    needsOpenSSL = scheme.needsOpenSSL
  case .keyExchange:
    guard key.keyClass == .private, key.publicKey.type == .ellipticCurve, let exchange = KeyExchange(algorithm) else {
      return false
    }
    needsOpenSSL = exchange.needsOpenSSL
  }
  return !needsOpenSSL || Libcrypto.isAvailable
}

/// Signs data, or a digest if the algorithm is one of those with `Digest` in their name.
///
/// - Parameters:
///   - key: The private key.
///   - algorithm: The algorithm.
///   - dataToSign: The data or the digest.
///   - error: Set to an error that the caller must release if the result is nil: `errSecParam`; `errSecNotAvailable` if
///     the algorithm needs OpenSSL and it is not installed.
/// - Returns: The signature: DER for ECDSA; for RSA, as many bytes as the modulus. Nil if the key does not support the
///   algorithm or the length of the digest is wrong.
@discardableResult
public func SecKeyCreateSignature(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  unsafe reporting(to: error) { () throws(SecurityError) in
    NSData(data: try key.signature(of: Data(referencing: dataToSign), by: algorithm))
  }
}

/// Verifies a signature of data, or of a digest if the algorithm is one of those with `Digest` in their name.
///
/// - Parameters:
///   - key: The public key.
///   - algorithm: The algorithm.
///   - signedData: The data or the digest.
///   - signature: The signature.
///   - error: Set to an error that the caller must release if the result is false: `errSecVerifyFailed` if the
///     signature is invalid; `errSecParam` if the key does not support the algorithm or the length of the digest is
///     wrong; `errSecNotAvailable` if the algorithm needs OpenSSL and it is not installed.
/// - Returns: True if the signature is valid.
@discardableResult
public func SecKeyVerifySignature(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
  unsafe reporting(to: error) { () throws(SecurityError) in
    try key.verify(Data(referencing: signature), of: Data(referencing: signedData), by: algorithm)
    return true
  } ?? false
}

extension SecKey {
  /// Signs data or a digest, with the errors of ``SecKeyCreateSignature(_:_:_:_:)``.
  func signature(of input: Data, by algorithm: SecKeyAlgorithm) throws(SecurityError) -> Data {
    guard case .private(let privateKey) = material, let scheme = SignatureScheme(algorithm), supports(scheme) else {
      throw SecurityError(errSecParam, "the key does not support signing with this algorithm")
    }
    return try privateKey.signature(of: scheme.digest(of: input), by: scheme)
  }

  /// Verifies a signature of data or of a digest, with the errors of ``SecKeyVerifySignature(_:_:_:_:_:)``.
  func verify(_ signature: Data, of input: Data, by algorithm: SecKeyAlgorithm) throws(SecurityError) {
    guard case .public(let publicKey) = material, let scheme = SignatureScheme(algorithm), supports(scheme) else {
      throw SecurityError(errSecParam, "the key does not support verification with this algorithm")
    }
    guard try publicKey.verifies(signature, of: scheme.digest(of: input), by: scheme) else {
      throw SecurityError(errSecVerifyFailed, "the signature is invalid")
    }
  }

  /// Returns whether the padding is for this type of key and the padded digest fits into the modulus (RFC 8017,
  /// sections 9.1.1 and 9.2).
  func supports(_ scheme: SignatureScheme) -> Bool {
    let digestByteCount = scheme.hash?.rawValue ?? 0
    return switch (publicKey.type, scheme.padding) {
    case (.ellipticCurve, .ecdsa), (.ellipticCurve, .ecdsaConcatenated), (.rsa, .none): true
    case (.rsa, .pkcs1): blockByteCount >= digestByteCount + 19 + 11
    case (.rsa, .pss): (publicKey.sizeInBits + 6) / 8 >= 2 * digestByteCount + 2
    default: false
    }
  }
}

/// Encrypts data with a public key.
///
/// - Parameters:
///   - key: The public key.
///   - algorithm: The algorithm: for RSA `rsaEncryptionPKCS1`, `rsaEncryptionOAEP…` or `rsaEncryptionRaw`; for EC
///     `eciesEncryption…`.
///   - plaintext: The data. For RSA, at most the length of the modulus, minus 11 bytes for PKCS #1, or twice the length
///     of the digest and 2 bytes for OAEP.
///   - error: Set to an error that the caller must release if the result is nil: `errSecParam`; `errSecNotAvailable` if
///     the algorithm needs OpenSSL and it is not installed.
/// - Returns: For RSA, as many bytes as the modulus has; for EC, as many as the data, a point and 16. Nil if the key
///   does not support the algorithm or the data is too long.
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
///   - error: Set to an error that the caller must release if the result is nil: `errSecParam`; `errSecNotAvailable` if
///     the algorithm needs OpenSSL and it is not installed.
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
