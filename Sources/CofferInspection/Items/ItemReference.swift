internal import Coffer
internal import CofferCrypto
internal import CofferFormat

/// Identifies an item in addresses of pages: its class and the 16 bytes of its persistent reference. It stays the same
/// when the item is renamed, moved or restored.
package struct ItemReference: Hashable, Sendable {
  package let kind: ItemKind
  let identifier: [UInt8]

  /// Creates a reference from the parts of an address.
  ///
  /// - Parameters:
  ///   - code: The class as four characters: the raw value of ``ItemKind``.
  ///   - text: 32 lower-case hexadecimal digits.
  package init?(code: String, text: String) {
    guard let kind = ItemKind(rawValue: code), let identifier = bytes(hexadecimal: text), identifier.count == 16
    else { return nil }
    self.kind = kind
    self.identifier = identifier
  }

  init(_ found: FoundItem, as kind: ItemKind? = nil) {
    self.kind = kind ?? ItemKind(found.itemClass)
    identifier = found.attributes.identifier
  }

  /// The reference as addresses and commands write it: `genp/` and 32 hexadecimal digits.
  package var path: String { "\(code)/\(text)" }

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
