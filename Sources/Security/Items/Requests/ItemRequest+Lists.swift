internal import CofferFormat
internal import CofferX509
internal import Foundation

extension ItemRequest {
  private static let maximumListCount = 10_000

  /// The names of `kSecMatchIssuers`, normalised.
  static func issuers(_ value: PropertyValue) throws(SecurityError) -> Set<[UInt8]> {
    var names: Set<[UInt8]> = []
    for element in try list(value, "kSecMatchIssuers") {
      guard let data = element as? Data, let name = try? DistinguishedName(der: [UInt8](data)) else {
        throw SecurityError(errSecParam, "kSecMatchIssuers has something other than names in DER")
      }
      names.insert(name.normalizedContent)
    }
    return names
  }

  /// The items of `kSecMatchItemList`: objects or persistent references.
  static func items(_ value: PropertyValue) throws(SecurityError) -> [ItemReference] {
    var items: [ItemReference] = []
    for element in try list(value, "kSecMatchItemList") {
      guard let item = (element as? Data).map({ ItemReference(persistent: $0) }) ?? ItemReference(element) else {
        throw SecurityError(errSecParam, "kSecMatchItemList has something other than items and persistent references")
      }
      items.append(item)
    }
    return items
  }

  private static func list(_ value: PropertyValue, _ name: String) throws(SecurityError) -> [Any] {
    guard case .other(let object) = value, let list = object as? NSArray, list.count <= maximumListCount else {
      throw SecurityError(errSecParam, "\(name) is no array of at most \(maximumListCount)")
    }
    return (0..<list.count).map { list.object(at: $0) }
  }
}

extension AttributeValue {
  /// A certificate's issuer as Keychain keeps it: callers also give the whole name in DER, as certificates have it.
  var asIssuer: AttributeValue {
    guard case .data(let bytes) = self, let name = try? DistinguishedName(der: bytes) else { return self }
    return .data(name.normalizedContent)
  }
}
