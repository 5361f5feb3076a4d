internal import Foundation

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

  /// The token that should create the key.
  var token: String? { text(kSecAttrTokenID) }

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
