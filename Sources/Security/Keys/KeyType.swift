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

  /// The items that the halves of a new pair are to be; nil where a half is not to be stored, which the half's own attributes
  /// or those of the pair say.
  func storedItems(of key: SecKey) throws(SecurityError) -> [CFDictionary] {
    var items: [CFDictionary] = []
    for (name, half) in [(kSecPrivateKeyAttrs, key), (kSecPublicKeyAttrs, SecKey(.public(key.publicKey)))] {
      guard let item = try storedItem(half, attributes(name), isPair: name == kSecPrivateKeyAttrs) else { continue }
      items.append(item)
    }
    return items
  }

  private func attributes(_ name: CFString) throws(SecurityError) -> CFDictionary {
    guard let own = dictionary.object(forKey: name) else { return NSDictionary() }
    guard let own = own as? NSDictionary else { throw SecurityError(errSecParam, "\(name) is no dictionary") }
    return own
  }

  /// - Parameter isPair: True for the half that the pair's own attributes are meant for. How to ask is said for both.
  private func storedItem(
    _ half: SecKey, _ own: CFDictionary, isPair: Bool
  ) throws(SecurityError) -> CFDictionary? {
    let item = NSMutableDictionary()
    for (source, isOwn) in [(dictionary, false), (own, true)] {
      for (name, value) in zip(source.allKeys, source.allValues) {
        guard let name = name as? NSString else { throw SecurityError(errSecParam, "a key is no string") }
        if isOwn || isPair || String(name).hasPrefix("u_") { item.setObject(value, forKey: name) }
      }
    }
    switch item.object(forKey: kSecAttrIsPermanent) {
    case nil: return nil
    case let isPermanent as NSNumber: guard isPermanent.boolValue else { return nil }
    default: throw SecurityError(errSecParam, "kSecAttrIsPermanent is no truth value")
    }
    // What the key itself says, and what is said of the pair.
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
