public import Foundation

/// Returns whether a key supports an operation with an algorithm.
///
/// Private keys sign, decrypt and exchange keys; public keys verify and encrypt.
@discardableResult
public func SecKeyIsAlgorithmSupported(
  _ key: SecKey, _ operation: SecKeyOperationType, _ algorithm: SecKeyAlgorithm
) -> Bool {
  switch operation {
  case .sign: key.keyClass == .private && key.supportsSignatures(by: algorithm)
  case .verify: key.keyClass == .public && key.supportsSignatures(by: algorithm)
  case .encrypt: key.keyClass == .public && key.publicKey.type == .rsa && algorithm.encryptionPadding != nil
  case .decrypt: key.keyClass == .private && key.publicKey.type == .rsa && algorithm.encryptionPadding != nil
  case .keyExchange:
    key.keyClass == .private && key.publicKey.type == .ellipticCurve && KeyExchange(algorithm) != nil
  }
}

/// Signs data, or a digest if the algorithm is one of those with `Digest` in their name.
///
/// - Parameters:
///   - key: The private key.
///   - algorithm: The algorithm.
///   - dataToSign: The data or the digest.
///   - error: Set to an error that the caller must release, `errSecParam`, if the result is nil.
/// - Returns: The signature: DER for ECDSA; for RSA, as many bytes as the modulus. Nil if the key does not support the
///   algorithm or the length of the digest is wrong.
@discardableResult
public func SecKeyCreateSignature(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  unsafe reporting(to: error) { () throws(SecurityError) in
    guard SecKeyIsAlgorithmSupported(key, .sign, algorithm), let scheme = SignatureScheme(algorithm),
      case .private(let privateKey) = key.material
    else { throw SecurityError(errSecParam, "the key does not support signing with this algorithm") }
    let digest = try scheme.digest(of: Data(referencing: dataToSign))
    return NSData(data: try privateKey.signature(of: digest, padding: scheme.padding))
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
///     wrong.
/// - Returns: True if the signature is valid.
@discardableResult
public func SecKeyVerifySignature(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
  unsafe reporting(to: error) { () throws(SecurityError) in
    guard SecKeyIsAlgorithmSupported(key, .verify, algorithm), let scheme = SignatureScheme(algorithm) else {
      throw SecurityError(errSecParam, "the key does not support verification with this algorithm")
    }
    let digest = try scheme.digest(of: Data(referencing: signedData))
    guard key.publicKey.verifies(Data(referencing: signature), of: digest, padding: scheme.padding) else {
      throw SecurityError(errSecVerifyFailed, "the signature is invalid")
    }
    return true
  } ?? false
}

extension SecKey {
  fileprivate func supportsSignatures(by algorithm: SecKeyAlgorithm) -> Bool {
    SignatureScheme(algorithm).map(supports) ?? false
  }

  /// Returns whether the padding is for this type of key and the padded digest fits into the modulus (RFC 8017,
  /// sections 9.1.1 and 9.2).
  func supports(_ scheme: SignatureScheme) -> Bool {
    let digestByteCount = scheme.hash.rawValue
    return switch (publicKey.type, scheme.padding) {
    case (.ellipticCurve, .ecdsa): true
    case (.rsa, .pkcs1): blockByteCount >= digestByteCount + 19 + 11
    case (.rsa, .pss): (publicKey.sizeInBits + 6) / 8 >= 2 * digestByteCount + 2
    default: false
    }
  }
}
