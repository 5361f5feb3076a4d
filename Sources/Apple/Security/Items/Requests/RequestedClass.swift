internal import CofferFormat

/// An item class of Keychain calls: one of the vault's classes, or identities, which are joins of keys and
/// certificates.
enum RequestedClass: Hashable, Sendable {
  case items(ItemClass)
  case identities

  private static let identityCode = fourCharacterCode("idnt")

  /// Creates the class with a four-character code; nil if the code is unknown.
  init?(code: UInt32) {
    if code == Self.identityCode {
      self = .identities
    } else {
      guard let itemClass = ItemClass(rawValue: code) else { return nil }
      self = .items(itemClass)
    }
  }

  /// Creates the class with a name, a value of `kSecClass`; nil if the name is unknown.
  init?(_ name: String) {
    guard name.utf8.count == 4 else { return nil }
    self.init(code: fourCharacterCode(name))
  }

  /// The four-character code.
  var code: UInt32 {
    switch self {
    case .items(let itemClass): itemClass.rawValue
    case .identities: Self.identityCode
    }
  }

  /// The value of `kSecClass`.
  var name: CFString {
    switch self {
    case .items(.genericPassword): kSecClassGenericPassword
    case .items(.internetPassword): kSecClassInternetPassword
    case .items(.certificate): kSecClassCertificate
    case .items(.key): kSecClassKey
    case .identities: kSecClassIdentity
    }
  }

  func has(_ code: AttributeCode) -> Bool {
    switch self {
    case .items(let itemClass): itemClass.attributes.contains(code)
    case .identities: ItemClass.certificate.attributes.contains(code) || ItemClass.key.attributes.contains(code)
    }
  }
}
