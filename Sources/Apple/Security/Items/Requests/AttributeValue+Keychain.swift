internal import Coffer
internal import CofferFormat
internal import CofferX509
internal import Foundation

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
