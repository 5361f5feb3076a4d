internal import CofferFormat
internal import CofferX509
internal import Foundation

extension ItemRequest {
  private static let maximumListCount = 10_000

  /// Returns the names of `kSecMatchIssuers`, normalised. Throws `errSecParam`.
  static func issuers(_ value: PropertyValue) throws(SecurityError) -> Set<[UInt8]> {
    var names: Set<[UInt8]> = []
    for element in try list(value, "kSecMatchIssuers") {
      guard let data = element as? Data, let name = try? DistinguishedName(der: [UInt8](data)) else {
        throw SecurityError(errSecParam, "kSecMatchIssuers contains an element that is not a name in DER")
      }
      names.insert(name.normalizedContent)
    }
    return names
  }

  /// Returns the items of `kSecMatchItemList`: objects or persistent references. Throws `errSecParam`.
  static func items(_ value: PropertyValue) throws(SecurityError) -> [ItemReference] {
    var items: [ItemReference] = []
    for element in try list(value, "kSecMatchItemList") {
      guard let item = (element as? Data).map({ ItemReference(persistent: $0) }) ?? ItemReference(element) else {
        throw SecurityError(
          errSecParam, "kSecMatchItemList contains an element that is not an item or a persistent reference")
      }
      items.append(item)
    }
    return items
  }

  private static func list(_ value: PropertyValue, _ name: String) throws(SecurityError) -> [Any] {
    guard case .other(let object) = value, let list = object as? NSArray, list.count <= maximumListCount else {
      throw SecurityError(errSecParam, "\(name) is not an array of at most \(maximumListCount) elements")
    }
    return (0..<list.count).map { list.object(at: $0) }
  }
}
