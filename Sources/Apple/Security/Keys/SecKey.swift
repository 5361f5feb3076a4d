internal import CofferFormat
internal import Crypto
public import Foundation

/// A public or private key: RSA, or on a NIST prime curve (P-256, P-384 or P-521).
public final class SecKey: NSObject, Sendable {
  /// The key of either class.
  enum Material: Sendable {
    case `public`(PublicKey)
    case `private`(PrivateKey)
  }

  let material: Material
  /// The key itself if it is public; otherwise the public key of the pair.
  let publicKey: PublicKey
  /// The SHA-1 hash of the public key's external representation: the same for both keys of a pair and their
  /// certificate.
  let applicationLabel: Data

  init(_ material: Material) {
    self.material = material
    publicKey =
      switch material {
      case .public(let key): key
      case .private(let key): key.publicKey
      }
    applicationLabel = Data(Insecure.SHA1.hash(data: publicKey.externalRepresentation))
  }

  /// Decodes a key from Apple's external representation. Throws `errSecParam`.
  convenience init(_ data: Data, type: KeyType, keyClass: KeyClass) throws(SecurityError) {
    switch keyClass {
    case .public: self.init(.public(try PublicKey(data, type: type)))
    case .private: self.init(.private(try PrivateKey(data, type: type)))
    }
  }

  var keyClass: KeyClass {
    switch material {
    case .public: .public
    case .private: .private
    }
  }

  /// Apple's external representation.
  var externalRepresentation: Data {
    switch material {
    case .public(let key): key.externalRepresentation
    case .private(let key): key.externalRepresentation
    }
  }

  /// The length of the modulus (RSA) or of a coordinate (EC), in bytes.
  var blockByteCount: Int { (publicKey.sizeInBits + 7) / 8 }

  /// Returns whether both are the same key of the same pair.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? SecKey else { return false }
    return keyClass == other.keyClass && publicKey.externalRepresentation == other.publicKey.externalRepresentation
  }

  /// A hash code of the public key.
  public override var hash: Int { applicationLabel.hashValue }

  /// A description with the class, type and size. Reveals nothing about a private key.
  public override var description: String {
    "<SecKey: \(keyClass), \(publicKey.type), \(publicKey.sizeInBits) bits>"
  }
}

/// Returns the type identifier of ``SecKey``.
@discardableResult
public func SecKeyGetTypeID() -> CFTypeID { CFClass.key.rawValue }

/// Returns the length of the modulus (RSA) or of a coordinate (EC), in bytes.
@discardableResult
public func SecKeyGetBlockSize(_ key: SecKey) -> Int { key.blockByteCount }

/// Returns the public key of a pair. A public key returns itself.
@discardableResult
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { SecKey(.public(key.publicKey)) }

/// The halves of a key pair, with the values of `kSecAttrKeyClass`.
enum KeyClass: String, Sendable {
  case `public` = "0"
  case `private` = "1"
}

/// The types of keys, with the values of `kSecAttrKeyType`.
enum KeyType: String, Sendable {
  case rsa = "42"
  case ellipticCurve = "73"
}

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
