internal import CofferSystem

/// An item of a secret service: a label, and attributes that its program has chosen.
struct SecretServiceItem {
  private(set) var entry = ForeignEntry()

  /// The item that stands for a collection, so that the Secret Service of Coffer has one with this name.
  init(collection identifier: String, label: String) {
    entry.identifier = "collection\u{1F}\(identifier)"
    entry.service = SecretServiceRecord.collectionService
    entry.username = identifier
    entry.title = label
    entry.password = []
    entry.generic = SecretServiceRecord(attributes: [:], collection: identifier, aliases: []).bytes
  }

  /// `collection` is the identifier of the collection in Coffer; nil for the default one.
  init(label: String, attributes: [(name: String, value: String)], contentType: String, collection: String?) {
    let values = Dictionary(attributes.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    entry.title = label
    // The path of an item in the service may change; its label and attributes are what programs find it by.
    let names = [label] + values.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
    entry.identifier = ((collection.map { [$0] } ?? []) + names).joined(separator: "\u{1F}")
    let account = SecretServiceRecord.accountName(in: values)
    let service = SecretServiceRecord.serviceName(in: values)
    entry.username = account.flatMap { values[$0] } ?? ""
    // Always a generic password, which has all attributes as the secret service of Coffer stores them: by them,
    // programs find the item again.
    entry.generic =
      SecretServiceRecord(
        attributes: values, contentType: contentType.isEmpty ? nil : contentType, collection: collection
      ).bytes
    let address = values["xdg:schema"].flatMap { Self.address($0, values) }
    entry.service = service.flatMap { values[$0] } ?? address.flatMap { WebAddress($0)?.server }
  }

  /// The address of a network password: `org.gnome.keyring.NetworkPassword` has a URL in parts, and Chromium has one.
  private static func address(_ schema: String, _ values: [String: String]) -> String? {
    if schema.contains("NetworkPassword"), let server = values["server"], let scheme = values["protocol"] {
      return "\(scheme)://\(server)\(values["port"].map { ":\($0)" } ?? "")"
    }
    return values["origin_url"]
  }
}
