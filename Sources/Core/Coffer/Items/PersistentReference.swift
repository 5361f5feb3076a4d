package import CofferFormat
public import CofferPlatform

/// Identifies an item for as long as it exists; find it with ``ItemQuery/reference(_:)``. It stays the same across updates, changes of its primary key, moves between groups, and
/// restarts.
///
/// The bytes have the form of Keychain's persistent reference: the class as four characters, then 16 random bytes.
public struct PersistentReference: Hashable, Sendable {
  /// The 20 bytes. Store them, and pass them to ``init(data:)`` later.
  public let data: Data

  /// Creates a reference from the bytes of ``data``. Returns nil for other bytes.
  public init?(data: Data) {
    let bytes = [UInt8](data)
    guard bytes.count == 20, ItemClass(rawValue: Self.code(bytes)) != nil else { return nil }
    self.data = Data(bytes)
  }

  package init(_ itemClass: ItemClass, identifier: [UInt8]) {
    data = Data(fourCharacters(of: itemClass.rawValue) + identifier)
  }

  package var itemClass: ItemClass? { ItemClass(rawValue: Self.code([UInt8](data))) }

  package var identifier: [UInt8] { [UInt8](data.dropFirst(4)) }

  private static func code(_ bytes: [UInt8]) -> UInt32 { fourCharacterCode(bytes.prefix(4)) }
}
