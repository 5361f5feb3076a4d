package import CofferFormat
public import Foundation

/// Names an item for as long as it lives: across updates, changes of its primary key, moves between groups and restarts.
///
/// The bytes are Keychain's persistent reference: the class' four characters, then 16 random bytes.
public struct PersistentReference: Hashable, Sendable {
  /// The 20 bytes, to be kept and given to ``init(data:)`` later.
  public let data: Data

  /// Takes bytes that ``data`` gave; nil for others.
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
