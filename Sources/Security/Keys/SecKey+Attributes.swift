public import Foundation

/// Returns the attributes of a key: class, type, size, application label (the SHA-1 hash of the public key) and
/// permitted uses.
///
/// Describes the key, not a stored item: `kSecAttrIsPermanent` is always false. The key's bytes are not included.
@discardableResult
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
  let isPrivate = key.keyClass == .private
  let isRSA = key.publicKey.type == .rsa
  let attributes: [(CFString, Any)] = [
    (kSecClass, kSecClassKey),
    (kSecAttrKeyClass, NSString(string: key.keyClass.rawValue)),
    (kSecAttrKeyType, NSString(string: key.publicKey.type.rawValue)),
    (kSecAttrKeySizeInBits, NSNumber(value: key.publicKey.sizeInBits)),
    (kSecAttrEffectiveKeySize, NSNumber(value: key.publicKey.sizeInBits)),
    (kSecAttrApplicationLabel, NSData(data: key.applicationLabel)),
    (kSecAttrIsPrivate, NSNumber(value: isPrivate)),
    (kSecAttrIsPermanent, NSNumber(value: false)),
    (kSecAttrIsExtractable, NSNumber(value: true)),
    (kSecAttrCanSign, NSNumber(value: isPrivate)),
    (kSecAttrCanVerify, NSNumber(value: !isPrivate)),
    (kSecAttrCanEncrypt, NSNumber(value: !isPrivate && isRSA)),
    (kSecAttrCanDecrypt, NSNumber(value: isPrivate && isRSA)),
    (kSecAttrCanDerive, NSNumber(value: isPrivate && !isRSA)),
    (kSecAttrCanWrap, NSNumber(value: false)),
    (kSecAttrCanUnwrap, NSNumber(value: false)),
  ]
  let dictionary = NSMutableDictionary()
  for (name, value) in attributes { dictionary.setObject(value, forKey: name as any NSCopying) }
  return dictionary
}
