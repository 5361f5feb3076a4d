internal import CofferFormat

/// Keychain's classes: those of the vault, and the identity, which is the join of a key and a certificate.
enum RequestedClass: Hashable, Sendable {
  case items(ItemClass)
  case identities

  private static let identityCode = fourCharacterCode("idnt")

  /// The class of a number made of four characters; nil where there is none.
  init?(code: UInt32) {
    if code == Self.identityCode {
      self = .identities
    } else {
      guard let itemClass = ItemClass(rawValue: code) else { return nil }
      self = .items(itemClass)
    }
  }

  /// The class of this name; nil where there is none.
  init?(_ name: String) {
    guard name.utf8.count == 4 else { return nil }
    self.init(code: fourCharacterCode(name.utf8))
  }

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

  /// True where its items have the attribute.
  func has(_ code: AttributeCode) -> Bool {
    switch self {
    case .items(let itemClass): itemClass.attributes.contains(code)
    case .identities: ItemClass.certificate.attributes.contains(code) || ItemClass.key.attributes.contains(code)
    }
  }
}
