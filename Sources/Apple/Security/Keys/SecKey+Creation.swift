public import Foundation

/// Generates a private key and adds it to the keychain if it is permanent.
///
/// - Parameters:
///   - parameters: `kSecAttrKeyType` (RSA, or EC on a NIST prime curve) and `kSecAttrKeySizeInBits` (256, 384 or 521;
///     for RSA, 1024 to 8192, a multiple of 256). If `kSecAttrIsPermanent` is true, the key is added as by
///     ``SecItemAdd(_:_:)``, with the other attributes and those in `kSecPrivateKeyAttrs`. If it is true in
///     `kSecPublicKeyAttrs`, the public key is added, too.
///   - error: Set to an error that the caller must release if the result is nil: `errSecParam`; `errSecUnimplemented`
///     for the Secure Enclave and other tokens; for a permanent key, the errors of ``SecItemAdd(_:_:)``.
/// - Returns: The private key; nil if the call fails. Nothing is stored then.
@discardableResult
public func SecKeyCreateRandomKey(
  _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
  unsafe reporting(to: error) { () throws(SecurityError) in
    return try SecKey.generate(KeyParameters(parameters))
  }
}

/// Generates a key pair and adds the permanent keys to the keychain: the older form of ``SecKeyCreateRandomKey(_:_:)``.
///
/// - Parameters:
///   - parameters: The parameters, as for ``SecKeyCreateRandomKey(_:_:)``.
///   - publicKey: Set to the public key; unchanged if the call fails.
///   - privateKey: Set to the private key; unchanged if the call fails.
/// - Returns: `errSecSuccess`, or the errors of ``SecKeyCreateRandomKey(_:_:)``.
@discardableResult
public func SecKeyGeneratePair(
  _ parameters: CFDictionary, _ publicKey: UnsafeMutablePointer<SecKey?>?, _ privateKey: UnsafeMutablePointer<SecKey?>?
) -> OSStatus {
  status {
    let key = try SecKey.generate(KeyParameters(parameters))
    unsafe privateKey?.pointee = key
    unsafe publicKey?.pointee = SecKey(.public(key.publicKey))
  }
}

extension SecKey {
  /// Generates a private key and adds the permanent keys of the pair to the keychain.
  fileprivate static func generate(_ parameters: KeyParameters) throws(SecurityError) -> SecKey {
    guard try !parameters.needToken else {
      throw SecurityError(errSecUnimplemented, "tokens are not supported: kSecAttrTokenID")
    }
    let key = SecKey(.private(try PrivateKey(generating: parameters.type, sizeInBits: parameters.sizeInBits)))
    let items = try parameters.permanentItems(of: key)
    if !items.isEmpty { try Keychain.shared.add(keys: items) }
    return key
  }
}

/// Decodes a key.
///
/// - Parameters:
///   - keyData: For RSA, PKCS #1; public keys also as SubjectPublicKeyInfo. For EC, the uncompressed X9.63 point,
///     followed by the private scalar for a private key.
///   - attributes: `kSecAttrKeyType` and `kSecAttrKeyClass`. The size is taken from the data.
///   - error: Set to an error that the caller must release, `errSecParam`, if the result is nil.
/// - Returns: The key; nil if the data is not a key of this type and class.
@discardableResult
public func SecKeyCreateWithData(
  _ keyData: CFData, _ attributes: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
  unsafe reporting(to: error) { () throws(SecurityError) in
    let parameters = KeyParameters(attributes)
    return try SecKey(Data(referencing: keyData), type: parameters.type, keyClass: parameters.keyClass)
  }
}

/// Encodes a key in the format that ``SecKeyCreateWithData(_:_:_:)`` accepts; public RSA keys as PKCS #1.
///
/// - Parameters:
///   - key: The key. Every private key can be exported.
///   - error: Never set.
/// - Returns: The encoded key.
@discardableResult
public func SecKeyCopyExternalRepresentation(
  _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
  unsafe reporting(to: error) { NSData(data: key.externalRepresentation) }
}

/// The dictionary of parameters for a new or imported key.
struct KeyParameters {
  private let dictionary: CFDictionary

  init(_ dictionary: CFDictionary) { self.dictionary = dictionary }

  /// The type. Accepts numbers, too, although Apple's constants are strings of digits.
  var type: KeyType {
    get throws(SecurityError) {
      guard let type = text(kSecAttrKeyType).flatMap(KeyType.init) else {
        throw SecurityError(errSecParam, "kSecAttrKeyType is neither RSA nor ECSECPrimeRandom")
      }
      return type
    }
  }

  /// The class: public or private.
  var keyClass: KeyClass {
    get throws(SecurityError) {
      guard let keyClass = text(kSecAttrKeyClass).flatMap(KeyClass.init) else {
        throw SecurityError(errSecParam, "kSecAttrKeyClass is neither public nor private")
      }
      return keyClass
    }
  }

  var sizeInBits: Int {
    get throws(SecurityError) {
      guard let size = text(kSecAttrKeySizeInBits).flatMap(Int.init) else {
        throw SecurityError(errSecParam, "kSecAttrKeySizeInBits is missing or not a number")
      }
      return size
    }
  }

  /// Whether a token should create the pair or one of its halves, also one that is not permanent.
  var needToken: Bool {
    get throws(SecurityError) {
      let all = [dictionary, try attributes(kSecPrivateKeyAttrs), try attributes(kSecPublicKeyAttrs)]
      return all.contains { $0.object(forKey: kSecAttrTokenID) != nil }
    }
  }

  /// Returns the dictionaries to add for the halves of a new key pair that are permanent, the private half first.
  /// Throws `errSecParam` for values of a wrong type.
  ///
  /// A half is permanent if `kSecAttrIsPermanent` is true among its own attributes (`kSecPrivateKeyAttrs`,
  /// `kSecPublicKeyAttrs`); for the private half, also among those of the pair.
  func permanentItems(of key: SecKey) throws(SecurityError) -> [CFDictionary] {
    var items: [CFDictionary] = []
    for (name, half) in [(kSecPrivateKeyAttrs, key), (kSecPublicKeyAttrs, SecKey(.public(key.publicKey)))] {
      let isPrivate = name == kSecPrivateKeyAttrs
      guard let item = try permanentItem(half, attributes(name), usesPairAttributes: isPrivate) else { continue }
      items.append(item)
    }
    return items
  }

  private func attributes(_ name: CFString) throws(SecurityError) -> CFDictionary {
    guard let own = dictionary.object(forKey: name) else { return NSDictionary() }
    guard let own = own as? NSDictionary else { throw SecurityError(errSecParam, "\(name) is not a dictionary") }
    return own
  }

  /// Returns the dictionary to add for one half of a key pair; nil if it is not permanent. `own` are the attributes of
  /// this half. With `usesPairAttributes`, those of the pair apply to it, too; the options `kSecUse…` always apply.
  private func permanentItem(
    _ half: SecKey, _ own: CFDictionary, usesPairAttributes: Bool
  ) throws(SecurityError) -> CFDictionary? {
    let item = NSMutableDictionary()
    for (source, isOwn) in [(dictionary, false), (own, true)] {
      for (name, value) in zip(source.allKeys, source.allValues) {
        guard let name = name as? NSString else { throw SecurityError(errSecParam, "a dictionary key is not a string") }
        if isOwn || usesPairAttributes || String(name).hasPrefix("u_") { item.setObject(value, forKey: name) }
      }
    }
    switch item.object(forKey: kSecAttrIsPermanent) {
    case nil: return nil
    case let isPermanent as NSNumber: guard isPermanent.boolValue else { return nil }
    default: throw SecurityError(errSecParam, "kSecAttrIsPermanent is not a Boolean")
    }
    // Determined by the key itself, or meaningful for the pair only.
    for name in [kSecAttrKeyType, kSecAttrKeySizeInBits, kSecPrivateKeyAttrs, kSecPublicKeyAttrs, kSecClass] {
      item.removeObject(forKey: name)
    }
    item.setObject(half, forKey: kSecValueRef)
    return item
  }

  private func text(_ name: CFString) -> String? {
    switch dictionary.object(forKey: name) {
    case let text as String: text
    case let number as NSNumber: number.stringValue
    default: nil
    }
  }
}
