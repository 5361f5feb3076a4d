internal import Coffer
internal import CofferFormat

/// An item to add, before its value is sealed under an application password.
struct NewItem {
  let itemClass: ItemClass
  var attributes: ItemAttributes
  let value: [UInt8]
  let control: SecAccessControl?
}
