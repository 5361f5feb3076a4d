internal import CofferFormat
public import Foundation

/// Returns the attributes of a key, as Apple's implementation does: class, type, size, application label (the SHA-1
/// hash of the public key), flags and permitted uses, and in `kSecValueData` the key itself.
///
/// Describes the key, not a stored item. The value of a private key is its external representation: do not log the
/// dictionary. <doc:SupportTable> lists the flags of each kind of key.
@discardableResult
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
  let dictionary = NSMutableDictionary()
  func set(_ value: Any, _ name: NSString) { dictionary.setObject(value, forKey: name as any NSCopying) }
  set(kSecClassKey, kSecClass)
  set(NSString(string: key.keyClass.rawValue), kSecAttrKeyClass)
  set(NSString(string: key.publicKey.type.rawValue), kSecAttrKeyType)
  set(NSNumber(value: key.publicKey.sizeInBits), kSecAttrKeySizeInBits)
  set(NSNumber(value: key.publicKey.sizeInBits), kSecAttrEffectiveKeySize)
  set(NSData(data: key.applicationLabel), kSecAttrApplicationLabel)
  for (code, isSet) in key.flags { set(NSNumber(value: isSet), NSString(string: code.name)) }
  set(NSData(data: key.externalRepresentation), kSecValueData)
  return dictionary
}

extension SecKey {
  /// The flags of a key and its permitted uses, with the values that Apple's implementation sets: they do not depend on
  /// how the key was created, and some do not describe what it can do.
  var flags: [(code: AttributeCode, isSet: Bool)] {
    let isPrivate = keyClass == .private
    let isRSA = publicKey.type == .rsa
    return [
      (.isPermanent, true), (.isPrivate, true), (.isModifiable, true), (.isSensitive, false),
      (.wasAlwaysSensitive, false), (.isExtractable, true), (.wasNeverExtractable, false),
      (.canEncrypt, !isPrivate), (.canDecrypt, isPrivate || isRSA), (.canDerive, isPrivate && !isRSA),
      (.canSign, isPrivate), (.canVerify, !isPrivate), (.canSignRecover, false), (.canVerifyRecover, false),
      (.canWrap, !isPrivate), (.canUnwrap, isPrivate),
    ]
  }
}
