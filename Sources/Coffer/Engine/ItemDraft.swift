package import CofferFormat

/// What an item is to be: everything that is sealed.
package struct ItemDraft: Sendable {
  package let itemClass: ItemClass
  package var attributes: ItemAttributes
  package var value: [UInt8]

  package init(itemClass: ItemClass, attributes: ItemAttributes, value: [UInt8]) {
    self.itemClass = itemClass
    self.attributes = attributes
    self.value = value
  }

  /// True where the item must not leave this machine: Keychain's accessibilities that end in `ThisDeviceOnly`.
  var isDeviceLocal: Bool { Accessibility(attributes)?.isThisDeviceOnly ?? false }
}
