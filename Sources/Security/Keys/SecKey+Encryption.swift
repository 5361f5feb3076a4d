internal import CryptoExtras
public import Foundation

/// Encrypts a short text to a public RSA key.
///
/// - Parameters:
///   - plaintext: At most as long as the padding leaves room for: the modulus less 11 bytes (PKCS #1), 42 (OAEP over SHA-1) or 66
///     (OAEP over SHA-256).
///   - error: Where to leave the error, `errSecParam`, which the caller owns.
/// - Returns: As many bytes as the modulus has.
@discardableResult
public func SecKeyCreateEncryptedData(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ plaintext: CFData, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  do throws(SecurityError) {
    guard case .public(.rsa(let publicKey)) = key.material, let padding = algorithm.encryptionPadding else {
      throw SecurityError(errSecParam, "the key does not encrypt by this algorithm")
    }
    do {
      let encryption = try _RSA.Encryption.PublicKey(unsafeDERRepresentation: publicKey.derRepresentation)
      guard plaintext.length <= encryption.maximumEncryptSize(with: padding) else {
        throw SecurityError(errSecParam, "the text is longer than the key and its padding allow")
      }
      return OwnedData([UInt8](try encryption.encrypt(Data(referencing: plaintext), padding: padding)))
    } catch {
      throw error as? SecurityError ?? SecurityError(errSecParam, "the key could not encrypt")
    }
  } catch let failure {
    unsafe failure.report(to: error)
    return nil
  }
}

/// Decrypts what was encrypted to a private RSA key's public half.
///
/// - Parameter error: Where to leave the error, which the caller owns: `errSecParam` where the key does not support the algorithm or the
///   text is not the key's.
@discardableResult
public func SecKeyCreateDecryptedData(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ ciphertext: CFData,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  do throws(SecurityError) {
    guard case .private(.rsa(let privateKey)) = key.material, let padding = algorithm.encryptionPadding else {
      throw SecurityError(errSecParam, "the key does not decrypt by this algorithm")
    }
    do {
      let decryption = try _RSA.Encryption.PrivateKey(unsafeDERRepresentation: privateKey.derRepresentation)
      return OwnedData([UInt8](try decryption.decrypt(Data(referencing: ciphertext), padding: padding)))
    } catch {
      // One answer to whatever is wrong: a difference would tell an attacker how the padding was.
      throw SecurityError(errSecParam, "the text was not encrypted to this key by this algorithm")
    }
  } catch let failure {
    unsafe failure.report(to: error)
    return nil
  }
}

extension SecKeyAlgorithm {
  /// The padding of an RSA encryption; nil for other algorithms, and where this module cannot do it.
  var encryptionPadding: _RSA.Encryption.Padding? {
    switch self {
    case .rsaEncryptionPKCS1: ._WEAK_AND_INSECURE_PKCS_V1_5
    case .rsaEncryptionOAEPSHA1: .PKCS1_OAEP
    case .rsaEncryptionOAEPSHA256: .PKCS1_OAEP_SHA256
    default: nil
    }
  }
}
