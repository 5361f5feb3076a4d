package import CofferFormat

/// The attributes of an item, in the form in which they are stored. Only this library creates them, so that no type
/// outside of it can conform to ``KeychainItem``.
public struct _ItemFields: Hashable, Sendable {
  package var attributes: ItemAttributes

  package init(_ attributes: ItemAttributes = ItemAttributes()) { self.attributes = attributes }

  subscript<Item, Value>(attribute: ItemAttribute<Item, Value>) -> Value? {
    get { attributes[attribute.code].flatMap(attribute.decode) }
    set { attributes[attribute.code] = newValue.map { attribute.encode($0).normalised(for: attribute.code.kind) } }
  }
}
