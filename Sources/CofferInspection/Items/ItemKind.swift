package import CofferFormat

/// The kinds of item that people tell apart: Keychain's classes. An identity is a certificate with its private key.
package enum ItemKind: String, CaseIterable, Sendable, Hashable {
  // The raw values are Keychain's four characters.
  case genericPassword = "genp"
  case internetPassword = "inet"
  case certificate = "cert"
  case key = "keys"
  case identity = "idnt"

  /// The kind of a stored class, which no identity has.
  package init(_ itemClass: ItemClass) {
    switch itemClass {
    case .genericPassword: self = .genericPassword
    case .internetPassword: self = .internetPassword
    case .certificate: self = .certificate
    case .key: self = .key
    }
  }

  /// The class in which the items of this kind are stored. An identity is listed by its certificate.
  package var itemClass: ItemClass {
    switch self {
    case .genericPassword: .genericPassword
    case .internetPassword: .internetPassword
    case .certificate, .identity: .certificate
    case .key: .key
    }
  }

  /// The kind in words: "Generic password".
  package var name: String {
    switch self {
    case .genericPassword: "Generic password"
    case .internetPassword: "Internet password"
    case .certificate: "Certificate"
    case .key: "Key"
    case .identity: "Identity"
    }
  }

  /// Several items of this kind in words: "Generic passwords".
  package var pluralName: String { self == .identity ? "Identities" : name + "s" }
}
