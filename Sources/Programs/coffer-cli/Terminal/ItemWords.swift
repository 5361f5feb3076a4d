internal import CofferFormat

/// The words for items of all classes.
enum ItemWords {
  /// The class as `--class` names it.
  static func className(_ itemClass: ItemClass) -> String {
    switch itemClass {
    case .genericPassword: "generic-password"
    case .internetPassword: "internet-password"
    case .certificate: "certificate"
    case .key: "key"
    }
  }

  /// What the item is for: the service, or the server of an internet password.
  static func place(_ attributes: ItemAttributes) -> String? {
    attributes.string(.service) ?? attributes.string(.server)
  }
}
