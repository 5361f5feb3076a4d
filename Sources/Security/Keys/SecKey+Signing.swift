public import Foundation

/// True where the key can carry out the operation by the algorithm: private keys sign, decrypt and exchange, public keys verify and
/// encrypt.
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

/// Signs data, or a digest where the algorithm's name says so.
///
/// - Parameter error: Where to leave the error, which the caller owns: `errSecParam` where the key does not support
///   the algorithm or the digest has another length than the algorithm's.
/// - Returns: ECDSA signatures in DER, RSA signatures as long as the modulus.
@discardableResult
public func SecKeyCreateSignature(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  do throws(SecurityError) {
    guard SecKeyIsAlgorithmSupported(key, .sign, algorithm), let scheme = SignatureScheme(algorithm),
      case .private(let privateKey) = key.material
    else { throw SecurityError(errSecParam, "the key does not sign by this algorithm") }
    let digest = try scheme.digest(of: Data(referencing: dataToSign))
    return NSData(data: try privateKey.signature(of: digest, padding: scheme.padding))
  } catch let failure {
    unsafe failure.report(to: error)
    return nil
  }
}

/// Verifies a signature of data, or of a digest where the algorithm's name says so.
///
/// - Parameter error: Where to leave the error, which the caller owns: `errSecVerifyFailed` where the signature is not
///   the key's; `errSecParam` where the key does not support the algorithm or the digest has another length.
@discardableResult
public func SecKeyVerifySignature(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
  do throws(SecurityError) {
    guard SecKeyIsAlgorithmSupported(key, .verify, algorithm), let scheme = SignatureScheme(algorithm) else {
      throw SecurityError(errSecParam, "the key does not verify by this algorithm")
    }
    let digest = try scheme.digest(of: Data(referencing: signedData))
    guard key.publicKey.verifies(Data(referencing: signature), of: digest, padding: scheme.padding) else {
      throw SecurityError(errSecVerifyFailed, "the signature is not this key's")
    }
    return true
  } catch let failure {
    unsafe failure.report(to: error)
    return false
  }
}

extension SecKey {
  fileprivate func supportsSignatures(by algorithm: SecKeyAlgorithm) -> Bool {
    SignatureScheme(algorithm).map(supports) ?? false
  }

  /// True where the padding is the key's kind's, and the padded digest fits into the modulus (RFC 8017, 9.1.1 and 9.2).
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
