internal import Coffer
internal import CofferFormat
internal import Foundation

/// An item that a call names by an object of this module, or by a persistent reference.
enum ItemReference: Sendable {
  case key(SecKey)
  case certificate(SecCertificate)
  case identity(SecIdentity)
  case persistent(RequestedClass, identifier: [UInt8])

  /// Takes an object; nil for those that are no items.
  init?(_ object: Any) {
    switch object {
    case let key as SecKey: self = .key(key)
    case let certificate as SecCertificate: self = .certificate(certificate)
    case let identity as SecIdentity: self = .identity(identity)
    default: return nil
    }
  }

  /// Takes the 20 bytes of a persistent reference; nil for others.
  init?(persistent data: Data) {
    let bytes = [UInt8](data)
    guard bytes.count == 20,
      let requested = RequestedClass(code: fourCharacterCode(bytes.prefix(4)))
    else { return nil }
    self = .persistent(requested, identifier: Array(bytes.dropFirst(4)))
  }

  /// The persistent reference of an item: the class' four characters and its 16 bytes.
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

  /// The attributes by which to find the item.
  var names: ItemAttributes {
    switch self {
    case .key(let key): ItemAttributes(key: key).only([.applicationLabel, .keyClass])
    case .certificate(let certificate):
      ItemAttributes(certificate: certificate.fields).only([.certificateType, .issuer, .serialNumber])
    case .identity(let identity): ItemReference.certificate(identity.certificate).names
    case .persistent(_, let identifier): ItemAttributes([.persistentReference: .data(identifier)])
    }
  }

  /// True where these are attributes of the item. An identity counts as its certificate and as its key.
  func names(_ attributes: ItemAttributes, of other: ItemClass) -> Bool {
    let wanted: ItemAttributes
    switch (self, other) {
    case (.identity(let identity), .key): wanted = ItemReference.key(identity.privateKey).names
    case (.identity, .certificate), (.persistent(.identities, _), .certificate): wanted = names
    default:
      guard itemClass == .items(other) else { return false }
      wanted = names
    }
    return wanted.values.allSatisfy { attributes[$0.key]?.matchBytes == $0.value.matchBytes }
  }
}

extension ItemAttributes {
  /// What Keychain keeps of a key.
  init(key: SecKey) {
    let size = AttributeValue.number(Int64(key.publicKey.sizeInBits))
    let isPrivate = key.keyClass == .private
    let isRSA = key.publicKey.type == .rsa
    func flag(_ isSet: Bool) -> AttributeValue { .number(isSet ? 1 : 0) }
    self.init([
      .keyClass: AttributeValue.string(key.keyClass.rawValue).normalised(for: .number),
      .type: AttributeValue.string(key.publicKey.type.rawValue).normalised(for: .number),
      .keySizeInBits: size, .effectiveKeySize: size, .applicationLabel: .data([UInt8](key.applicationLabel)),
      .isPermanent: flag(true), .isPrivate: flag(isPrivate), .isExtractable: flag(true), .canSign: flag(isPrivate),
      .canVerify: flag(!isPrivate), .canEncrypt: flag(!isPrivate && isRSA), .canDecrypt: flag(isPrivate && isRSA),
      .canDerive: flag(isPrivate && !isRSA),
    ])
  }
}
