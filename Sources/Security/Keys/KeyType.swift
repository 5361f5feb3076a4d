internal import Foundation

/// The kinds of keys.
enum KeyType: String, Sendable {
  case rsa = "42"
  case ellipticCurve = "73"
}

/// Which half of a key pair.
enum KeyClass: String, Sendable {
  case `public` = "0"
  case `private` = "1"
}

/// What a caller's dictionary says of the key that it wants.
struct KeyParameters {
  private let dictionary: CFDictionary

  init(_ dictionary: CFDictionary) { self.dictionary = dictionary }

  /// The type; Apple's constants are strings of digits, and callers write numbers too.
  var type: KeyType {
    get throws(SecurityError) {
      guard let type = text(kSecAttrKeyType).flatMap(KeyType.init) else {
        throw SecurityError(errSecParam, "kSecAttrKeyType is neither RSA nor ECSECPrimeRandom")
      }
      return type
    }
  }

  /// Public or private.
  var keyClass: KeyClass {
    get throws(SecurityError) {
      guard let keyClass = text(kSecAttrKeyClass).flatMap(KeyClass.init) else {
        throw SecurityError(errSecParam, "kSecAttrKeyClass is neither public nor private")
      }
      return keyClass
    }
  }

  /// The size in bits.
  var sizeInBits: Int {
    get throws(SecurityError) {
      guard let size = text(kSecAttrKeySizeInBits).flatMap(Int.init) else {
        throw SecurityError(errSecParam, "kSecAttrKeySizeInBits is missing or no number")
      }
      return size
    }
  }

  /// The token that is to make the key.
  var token: String? { text(kSecAttrTokenID) }

  /// True where the key is to be stored, which the dictionary or the private key's own may say.
  var isPermanent: Bool {
    let own = dictionary.object(forKey: kSecPrivateKeyAttrs) as? NSDictionary
    return [dictionary, own].contains { ($0?.object(forKey: kSecAttrIsPermanent) as? NSNumber)?.boolValue == true }
  }

  private func text(_ name: CFString) -> String? {
    switch dictionary.object(forKey: name) {
    case let text as String: text
    case let number as NSNumber: number.stringValue
    default: nil
    }
  }
}
