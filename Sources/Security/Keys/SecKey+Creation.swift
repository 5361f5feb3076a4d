public import Foundation

/// Makes a private key and, where it is to be permanent, stores it.
///
/// - Parameters:
///   - parameters: `kSecAttrKeyType` (RSA, or EC on a NIST prime curve) and `kSecAttrKeySizeInBits` (256, 384 or 521;
///     RSA: 1024 to 8192, a multiple of 256). With `kSecAttrIsPermanent` the key is added as ``SecItemAdd(_:_:)`` would, with the
///     other attributes and those in `kSecPrivateKeyAttrs`; with it in `kSecPublicKeyAttrs` the public half is, too.
///   - error: Where to leave the error, which the caller owns: `errSecParam`; `errSecUnimplemented` for the Secure
///     Enclave and other tokens; of a permanent key what ``SecItemAdd(_:_:)`` returns. Nothing is stored then.
@discardableResult
public func SecKeyCreateRandomKey(
  _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
  do throws(SecurityError) {
    return try SecKey(making: KeyParameters(parameters))
  } catch let failure {
    unsafe failure.report(to: error)
    return nil
  }
}

/// Makes a pair of keys and stores the halves that are to be permanent: the older form of ``SecKeyCreateRandomKey(_:_:)``.
///
/// - Parameters:
///   - publicKey: Where to leave the public half; untouched where the call fails.
///   - privateKey: Where to leave the private half.
@discardableResult
public func SecKeyGeneratePair(
  _ parameters: CFDictionary, _ publicKey: UnsafeMutablePointer<SecKey?>?, _ privateKey: UnsafeMutablePointer<SecKey?>?
) -> OSStatus {
  do throws(SecurityError) {
    let key = try SecKey(making: KeyParameters(parameters))
    unsafe privateKey?.pointee = key
    unsafe publicKey?.pointee = SecKey(.public(key.publicKey))
    return errSecSuccess
  } catch {
    error.explain()
    return error.status
  }
}

extension SecKey {
  /// Makes a private key and stores what is to be stored.
  fileprivate convenience init(making parameters: KeyParameters) throws(SecurityError) {
    guard parameters.token == nil else {
      throw SecurityError(errSecUnimplemented, "this machine has no such token")
    }
    self.init(.private(try PrivateKey(generating: parameters.type, sizeInBits: parameters.sizeInBits)))
    let items = try parameters.storedItems(of: self)
    guard !items.isEmpty else { return }
    try Keychain.shared.add(keys: items)
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
