internal import CofferInspection

/// The addresses of an item's page and of what is below it.
struct ItemPlace: Sendable {
  let reference: ItemReference
  /// The full name of the group, if the address names it: one reference can be in several groups.
  var group: String?

  /// The page of the item, or of what can be done with it.
  func address(_ action: String? = nil) -> PageAddress {
    let page = PageAddress(of: reference)
    return (action.map { page.appending($0) } ?? page).with("group", group)
  }
}
