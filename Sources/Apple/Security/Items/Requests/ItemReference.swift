internal import Coffer
internal import CofferCertificates
internal import CofferFormat
internal import Foundation

/// A reference to an item in a Keychain call: an object or a persistent reference.
enum ItemReference: Sendable {
  case key(SecKey)
  case certificate(SecCertificate)
  case identity(SecIdentity)
  case persistent(RequestedClass, identifier: [UInt8])

  /// Creates a reference from an object; nil if it is not a key, certificate or identity.
  init?(_ object: Any) {
    switch object {
    case let key as SecKey: self = .key(key)
    case let certificate as SecCertificate: self = .certificate(certificate)
    case let identity as SecIdentity: self = .identity(identity)
    default: return nil
    }
  }

  /// Creates a reference from the 20 bytes of a persistent reference; nil for other data.
  init?(persistent data: Data) {
    let bytes = [UInt8](data)
    guard bytes.count == 20,
      let requested = RequestedClass(code: fourCharacterCode(bytes.prefix(4)))
    else { return nil }
    self = .persistent(requested, identifier: Array(bytes.dropFirst(4)))
  }

  /// Returns the persistent reference of an item: the four characters of its class and its 16-byte identifier.
  static func bytes(_ requested: RequestedClass, identifier: [UInt8]) -> [UInt8] {
    fourCharacters(of: requested.code) + identifier
  }

  var itemClass: RequestedClass {
    switch self {
    case .key: .items(.key)
    case .certificate: .items(.certificate)
    case .identity: .identities
    case .persistent(let requested, _): requested
    }
  }

  /// The attributes that identify the item.
  var identifyingAttributes: ItemAttributes {
    switch self {
    case .key(let key): ItemAttributes(key: key).only([.applicationLabel, .keyClass])
    case .certificate(let certificate):
      ItemAttributes(certificate: certificate.fields).only([.certificateType, .issuer, .serialNumber])
    case .identity(let identity): ItemReference.certificate(identity.certificate).identifyingAttributes
    case .persistent(_, let identifier): ItemAttributes([.persistentReference: .data(identifier)])
    }
  }

  /// Returns whether an item is the referenced one. An identity matches both its certificate and its key.
  func matches(_ attributes: ItemAttributes, of other: ItemClass) -> Bool {
    let wanted: ItemAttributes
    switch (self, other) {
    case (.identity(let identity), .key): wanted = ItemReference.key(identity.privateKey).identifyingAttributes
    case (.identity, .certificate), (.persistent(.identities, _), .certificate): wanted = identifyingAttributes
    default:
      guard itemClass == .items(other) else { return false }
      wanted = identifyingAttributes
    }
    return wanted.values.allSatisfy { attributes[$0.key]?.matchBytes == $0.value.matchBytes }
  }
}
