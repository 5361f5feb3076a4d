public import Foundation

/// Makes a private key.
///
/// - Parameters:
///   - parameters: `kSecAttrKeyType` (RSA, or EC on a NIST prime curve) and `kSecAttrKeySizeInBits` (256, 384 or 521;
///     RSA: 1024 to 8192, a multiple of 256).
///   - error: Where to leave the error, which the caller owns: `errSecParam`; `errSecUnimplemented` for the Secure
///     Enclave and other tokens.
@discardableResult
public func SecKeyCreateRandomKey(
  _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
  do throws(SecurityError) {
    let parameters = KeyParameters(parameters)
    guard parameters.token == nil else {
      throw SecurityError(errSecUnimplemented, "this machine has no such token")
    }
    guard !parameters.isPermanent else {
      throw SecurityError(errSecUnimplemented, "make the key, then store it with SecItemAdd")
    }
    return SecKey(.private(try PrivateKey(generating: parameters.type, sizeInBits: parameters.sizeInBits)))
  } catch let failure {
    unsafe failure.report(to: error)
    return nil
  }
}

/// Reads a key.
///
/// - Parameters:
///   - keyData: RSA: PKCS #1 (public keys also as SubjectPublicKeyInfo). EC: the point of X9.63 without compression,
///     with the private number behind it for a private key.
///   - attributes: `kSecAttrKeyType` and `kSecAttrKeyClass`. A size is not needed; the data has one.
///   - error: Where to leave the error, `errSecParam`, which the caller owns.
@discardableResult
public func SecKeyCreateWithData(
  _ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
  do throws(SecurityError) {
    let parameters = KeyParameters(attributes)
    return try SecKey(Data(referencing: keyData), type: parameters.type, keyClass: parameters.keyClass)
  } catch let failure {
    unsafe failure.report(to: error)
    return nil
  }
}

/// The key as bytes, in the format that ``SecKeyCreateWithData(_:_:_:)`` reads; public RSA keys as PKCS #1.
@discardableResult
public func SecKeyCopyExternalRepresentation(
  _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  NSData(data: key.externalRepresentation)
}
