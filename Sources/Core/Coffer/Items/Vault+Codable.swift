internal import CofferPlatform
internal import CofferVault

/// Values of any `Codable` type. They are stored as JSON, so that programs in other languages can read them.
extension Vault {
  /// Adds an item, or replaces the value of an existing one, with a value that is encoded as JSON.
  ///
  /// - Parameters:
  ///   - value: The value. As JSON it has at most ``maximumValueByteCount`` bytes.
  ///   - item: The item's names and attributes.
  ///   - accessGroup: The access group to write to; the app's default group if nil.
  /// - Returns: A reference that identifies the item from now on.
  /// - Throws: ``VaultError``: `invalidArgument` if the value cannot be encoded as JSON, and the errors of
  ///   ``set(_:for:in:)``.
  @discardableResult
  public func set<Item: KeychainItem>(
    encoding value: some Encodable, for item: Item, in accessGroup: String? = nil
  ) throws(VaultError) -> PersistentReference {
    try set(Self.encode(value), for: item, in: accessGroup)
  }

  /// Returns the value of an item, decoded from JSON, or nil if the item does not exist.
  ///
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - item: The item, by its primary key.
  ///   - accessGroup: The access group to search. If nil, the app's groups are searched in order, and the first match
  ///     is returned.
  /// - Returns: The value, or nil.
  /// - Throws: ``VaultError``: `integrity` if the value cannot be decoded as `type`, and the errors of
  ///   ``value(for:in:)``.
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
      // Foundation's error may contain the value.
      throw VaultError(
        .invalidArgument, "a value of type \(type(of: value)) cannot be encoded as JSON",
        recoverySuggestion: "check that numbers are finite and that its encode(to:) does not throw")
    }
  }

  static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws(VaultError) -> Value {
    do {
      return try JSONDecoder().decode(type, from: data)
    } catch {
      throw VaultError(
        .integrity, "the value of the item cannot be decoded from JSON as \(type)",
        recoverySuggestion: "read it as data, or as the type that it was written as")
    }
  }
}
