package import CofferFormat

/// The kinds of item that people tell apart: Keychain's classes. An identity is a certificate with its private key.
package enum ItemKind: String, CaseIterable, Sendable, Hashable {
  // The raw values are Keychain's four characters.
  case genericPassword = "genp"
  case internetPassword = "inet"
  case certificate = "cert"
  case key = "keys"
  case identity = "idnt"

  /// The kinds that are stored: all but identities, which are found by their certificates.
  static let stored: [ItemKind] = [.genericPassword, .internetPassword, .certificate, .key]

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

  /// The kind as arguments and JSON name it: "generic-password".
  package var argument: String { name.lowercased().replacing(" ", with: "-") }

  /// Creates a kind from its ``argument``; nil for any other text.
  package init?(argument: String) {
    guard let kind = Self.allCases.first(where: { $0.argument == argument }) else { return nil }
    self = kind
  }

  /// The names by which people know an item of this kind.
  package var nameWords: [String] {
    switch self {
    case .genericPassword: ["service", "account"]
    case .internetPassword: ["server", "account"]
    case .certificate, .key, .identity: ["label"]
    }
  }

  /// The codes of the fields with these names, as forms have them.
  package var nameFields: [String] { nameCodes.map(\.name) }

  /// The attributes with these names, in their order.
  package var nameCodes: [AttributeCode] {
    switch self {
    case .genericPassword: [.service, .account]
    case .internetPassword: [.server, .account]
    case .certificate, .key, .identity: [.label]
    }
  }

  /// The attributes of an item with these names, which are in the order of ``nameCodes``.
  package func attributes(named names: [String]) -> ItemAttributes {
    ItemAttributes(Dictionary(uniqueKeysWithValues: zip(nameCodes, names.map { AttributeValue.string($0) })))
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

  /// The name of the attribute that a list shows below an item's title.
  package var subtitleName: String {
    switch self {
    case .genericPassword, .internetPassword: "Account"
    case .certificate, .identity: Term.issuer.rawValue
    case .key: "Application tag"
    }
  }

  /// Several items of this kind in words: "Generic passwords".
  package var pluralName: String { self == .identity ? "Identities" : name + "s" }
}
