internal import Foundation

/// Values of any `Codable` type, kept as JSON so that programs in other languages can read them.
extension Vault {
  /// Sets an item to a value, whether there is one or not, in one step. As ``set(_:for:in:)``.
  ///
  /// - Throws: ``VaultError``: `invalidArgument` where the value cannot be encoded as JSON, and as there.
  @discardableResult
  public func set<Item: KeychainItem>(
    encoding value: some Encodable, for item: Item, in accessGroup: String? = nil
  ) throws(VaultError) -> PersistentReference {
    try set(Self.encode(value), for: item, in: accessGroup)
  }

  /// The value of an item, decoded; nil where there is none.
  ///
  /// - Throws: ``VaultError``: `integrity` (errSecDecode) where the item holds something else, and as ``value(for:in:)``.
  public func value<Item: KeychainItem, Value: Decodable>(
    _ type: Value.Type, for item: Item, in accessGroup: String? = nil
  ) throws(VaultError) -> Value? {
    guard let data = try value(for: item, in: accessGroup) else { return nil }
    return try Self.decode(type, from: data)
  }

  static func encode(_ value: some Encodable) throws(VaultError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(value)
    } catch {
      // Foundation's own words may quote the value.
      throw VaultError(
        .invalidArgument, "a value of type \(type(of: value)) cannot be encoded as JSON",
        mend: "numbers must be finite, and its own encode(to:) must not throw")
    }
  }

  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws(VaultError) -> Value {
    do {
      return try JSONDecoder().decode(type, from: data)
    } catch {
      throw VaultError(
        .integrity, "the value of the item is no \(type) in JSON",
        mend: "read it as data, or as the type it was written as")
    }
  }
}
