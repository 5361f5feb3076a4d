package import Coffer
internal import CofferCrypto
package import CofferFormat

/// Identifies an item in addresses of pages: its class and the 16 bytes of its persistent reference. It stays the same
/// when the item is renamed, moved or restored.
package struct ItemReference: Hashable, Sendable {
  package let kind: ItemKind
  let identifier: [UInt8]

  /// Creates a reference from the parts of an address: the class as four characters, the raw value of ``ItemKind``, and
  /// 32 lower-case hexadecimal digits.
  package init?(code: String, text: String) {
    guard let kind = ItemKind(rawValue: code), let identifier = bytes(hexadecimal: text), identifier.count == 16
    else { return nil }
    self.kind = kind
    self.identifier = identifier
  }

  /// Creates the reference of an item from that of the library; nil for an item without one.
  package init?(_ reference: PersistentReference) {
    self.init(kind: ItemKind(reference.itemClass), identifier: reference.identifier)
  }

  /// Returns the references that an argument of a command can mean: one for `genp/` and 32 hexadecimal digits, also in
  /// upper case; those of each class for the digits alone, of which an item has at most one. Empty for any other text.
  package static func references(argument: String) -> [ItemReference] {
    let parts = argument.lowercased().split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    switch parts.count {
    case 1: return ItemKind.stored.compactMap { ItemReference(code: $0.rawValue, text: parts[0]) }
    case 2: return ItemReference(code: parts[0], text: parts[1]).map { [$0] } ?? []
    default: return []
    }
  }

  /// Creates the reference of an item of a class; nil for an item without one.
  package init?(_ itemClass: ItemClass, _ attributes: ItemAttributes) {
    self.init(kind: ItemKind(itemClass), identifier: attributes.identifier)
  }

  init(_ found: FoundItem, as kind: ItemKind? = nil) {
    self.kind = kind ?? ItemKind(found.itemClass)
    identifier = found.attributes.identifier
  }

  /// The reference as addresses and commands write it: `genp/` and 32 hexadecimal digits.
  package var path: String { Self.path(of: kind, text) }

  static func path(of kind: ItemKind, _ text: String) -> String { "\(kind.rawValue)/\(text)" }

  /// The same reference in the form of the library; an identity has that of its certificate.
  package var persistent: PersistentReference { PersistentReference(kind.itemClass, identifier: identifier) }

  /// The class as four characters.
  package var code: String { kind.rawValue }

  /// The persistent reference in hexadecimal. Empty for an item without one, which no address can name.
  package var text: String { hexadecimal(identifier) }
}

extension ItemReference {
  /// Creates a reference from stored bytes. Nil unless there are 16.
  init?(kind: ItemKind, identifier: [UInt8]) {
    guard identifier.count == 16 else { return nil }
    self.kind = kind
    self.identifier = identifier
  }
}
