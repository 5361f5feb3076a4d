package import CofferFormat

/// The content of an item that is about to be written: everything that is sealed.
package struct ItemDraft: Sendable {
  package let itemClass: ItemClass
  package var attributes: ItemAttributes
  package var value: [UInt8]

  package init(itemClass: ItemClass, attributes: ItemAttributes, value: [UInt8]) {
    self.itemClass = itemClass
    self.attributes = attributes
    self.value = value
  }

  /// Whether the item must not leave this machine: its accessibility ends in `ThisDeviceOnly`.
  var isDeviceLocal: Bool { ItemAccessibility(attributes)?.isThisDeviceOnly ?? false }
}
