internal import CryptoExtras
public import Foundation

/// Encrypts data with a public RSA key.
///
/// - Parameters:
///   - key: The public key.
///   - algorithm: `rsaEncryptionPKCS1`, `rsaEncryptionOAEPSHA1` or `rsaEncryptionOAEPSHA256`.
///   - plaintext: The data: at most the length of the modulus minus 11 bytes (PKCS #1), 42 bytes (OAEP with SHA-1) or
///     66 bytes (OAEP with SHA-256).
///   - error: Set to an error that the caller must release, `errSecParam`, if the result is nil.
/// - Returns: As many bytes as the modulus has; nil if the key does not support the algorithm or the data is too long.
@discardableResult
public func SecKeyCreateEncryptedData(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ plaintext: CFData, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  unsafe reporting(to: error) { () throws(SecurityError) in
    guard case .public(.rsa(let publicKey)) = key.material, let padding = algorithm.encryptionPadding else {
      throw SecurityError(errSecParam, "the key does not support encryption with this algorithm")
    }
    do {
      let encryption = try _RSA.Encryption.PublicKey(unsafeDERRepresentation: publicKey.derRepresentation)
      guard plaintext.length <= encryption.maximumEncryptSize(with: padding) else {
        throw SecurityError(errSecParam, "the plaintext is too long for the key and the padding")
      }
      return OwnedData([UInt8](try encryption.encrypt(Data(referencing: plaintext), padding: padding)))
    } catch {
      throw error as? SecurityError ?? SecurityError(errSecParam, "the encryption failed")
    }
  }
}

/// Decrypts data with a private RSA key.
///
/// - Parameters:
///   - key: The private key.
///   - algorithm: The algorithm with which the data was encrypted.
///   - ciphertext: The encrypted data.
///   - error: Set to an error that the caller must release, `errSecParam`, if the result is nil.
/// - Returns: The plaintext; nil if the key does not support the algorithm or the data was not encrypted with its
///   public key.
@discardableResult
public func SecKeyCreateDecryptedData(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ ciphertext: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  unsafe reporting(to: error) { () throws(SecurityError) in
    guard case .private(.rsa(let privateKey)) = key.material, let padding = algorithm.encryptionPadding else {
      throw SecurityError(errSecParam, "the key does not support decryption with this algorithm")
    }
    do {
      let decryption = try _RSA.Encryption.PrivateKey(unsafeDERRepresentation: privateKey.derRepresentation)
      return OwnedData([UInt8](try decryption.decrypt(Data(referencing: ciphertext), padding: padding)))
    } catch {
      // The same error for every cause: a difference would be a padding oracle.
      throw SecurityError(errSecParam, "the data was not encrypted for this key with this algorithm")
    }
  }
}

extension SecKeyAlgorithm {
  /// The padding of the RSA encryption; nil for unsupported and other algorithms.
  var encryptionPadding: _RSA.Encryption.Padding? {
    switch self {
    case .rsaEncryptionPKCS1: ._WEAK_AND_INSECURE_PKCS_V1_5
    case .rsaEncryptionOAEPSHA1: .PKCS1_OAEP
    case .rsaEncryptionOAEPSHA256: .PKCS1_OAEP_SHA256
    default: nil
    }
  }
}
