internal import Coffer
internal import CofferCertificates
internal import CofferFormat
internal import CofferX509
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

extension ItemAttributes {
  init(key: SecKey) {
    let size = AttributeValue.number(Int64(key.publicKey.sizeInBits))
    self.init([
      .keyClass: AttributeValue.string(key.keyClass.rawValue).normalised(for: .number),
      .type: AttributeValue.string(key.publicKey.type.rawValue).normalised(for: .number),
      .keySizeInBits: size, .effectiveKeySize: size, .applicationLabel: .data([UInt8](key.applicationLabel)),
    ])
    for (code, isSet) in key.flags { self[code] = .number(isSet ? 1 : 0) }
  }

  /// Adds the attributes of another item that are not set in this one.
  mutating func merge(_ other: ItemAttributes) { self = other.merging(self) }
}

extension AttributeValue {
  /// Creates the stored form of a dictionary value; nil if an attribute of this kind does not accept its type.
  init?(_ value: PropertyValue, for kind: AttributeKind) {
    switch (value, kind) {
    case (.text(let text), .blob): self = .string(text)
    case (.text(let text), .number): self = AttributeValue.string(text).normalised(for: .number)
    case (.data(let data), .blob): self = .data([UInt8](data))
    case (.number(let number?), .blob), (.number(let number?), .number): self = .number(number)
    case (.boolean(let flag), .number): self = .number(flag ? 1 : 0)
    case (.date(let date), .date): self = .date(Timestamp(keychain: date))
    case (.null, _): self = .absent(kind)
    default: return nil
    }
  }

  /// The value as an object, for results.
  var object: NSObject {
    switch self {
    case .string(let text): NSString(string: text)
    case .data(let bytes): OwnedData(bytes)
    case .number(let number): NSNumber(value: number)
    case .date(let time): time.keychainDate
    }
  }

  /// The normalised form of an issuer. Callers also pass the complete name in DER, as in a certificate.
  var asIssuer: AttributeValue {
    guard case .data(let bytes) = self, let name = try? DistinguishedName(der: bytes) else { return self }
    return .data(name.normalizedContent)
  }
}

extension Timestamp {
  // The Keychain's value for a date that was never set is the start of 2001, its reference date. The vault's is the
  // start of 1970. The conversion swaps the two, so that it is reversible for every date.
  private static let first2001 = Timestamp(Date(timeIntervalSinceReferenceDate: 0))
  private static let first1970 = Timestamp(microseconds: 0)

  /// The timestamp, with the two values for unset dates swapped.
  private var withUnsetDatesSwapped: Timestamp {
    switch self {
    case Self.first2001: Self.first1970
    case Self.first1970: Self.first2001
    default: self
    }
  }

  /// Creates the stored form of a date of a Keychain call.
  init(keychain date: Date) { self = Timestamp(date).withUnsetDatesSwapped }

  /// The date as an object, for results.
  var keychainDate: NSDate {
    NSDate(timeIntervalSinceReferenceDate: withUnsetDatesSwapped.date.timeIntervalSinceReferenceDate)
  }
}
