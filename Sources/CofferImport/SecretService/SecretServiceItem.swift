internal import CofferSystem

/// An item of a secret service: a label, and attributes that its program has chosen.
struct SecretServiceItem {
  private(set) var entry = ForeignEntry()

  init(label: String, attributes: [(name: String, value: String)], contentType: String) {
    let values = Dictionary(attributes.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    entry.title = label
    // The path of an item in the service may change; its label and attributes are what programs find it by.
    let names = [label] + values.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
    entry.identifier = names.joined(separator: "\u{1F}")
    let account = SecretServiceRecord.accountName(in: values)
    let service = SecretServiceRecord.serviceName(in: values)
    entry.username = account.flatMap { values[$0] } ?? ""
    // Always a generic password, which has all attributes as the secret service of Coffer stores them: by them, programs find
    // the item again.
    entry.generic = SecretServiceRecord(attributes: values, contentType: contentType.isEmpty ? nil : contentType).bytes
    if let address = values["xdg:schema"].flatMap({ Self.address($0, values) }) {
      entry.addresses = [address]
      entry.service = service.flatMap { values[$0] } ?? WebAddress(address)?.server
    } else {
      entry.service = service.flatMap { values[$0] }
    }
    for (name, value) in values.sorted(by: { $0.key < $1.key }) where name != account && name != service {
      entry.fields.append(ForeignEntry.Field(name: name, value: Array(value.utf8)))
    }
  }

  /// The address of a network password: `org.gnome.keyring.NetworkPassword` has a URL in parts, and Chromium has one.
  private static func address(_ schema: String, _ values: [String: String]) -> String? {
    if schema.contains("NetworkPassword"), let server = values["server"], let scheme = values["protocol"] {
      return "\(scheme)://\(server)\(values["port"].map { ":\($0)" } ?? "")"
    }
    return values["origin_url"]
  }
}
