internal import CofferPlatform
internal import CofferSystem

extension ForeignEntry {
  private typealias Attribute = ImportLine.Attribute

  /// The items of the entry: its password, and an item for each of notes, one-time codes, attachments, and everything that
  /// Keychain has no attribute for.
  func lines(source: String, identifier: String) -> [ImportLine] {
    // A slash in a name is no level: A/B is another folder than B in A.
    let folderText = folder.map { $0.replacing("%", with: "%25").replacing("/", with: "%2F") }.joined(separator: "/")
    var origin = EntryOrigin(source: source, entry: identifier)
    origin.title = title
    origin.folder = folderText
    origin.tags = tags
    origin.created = created?.iso8601Text
    origin.modified = modified?.iso8601Text
    let address = service == nil ? addresses.first.flatMap(WebAddress.init) : nil
    var lines: [ImportLine] = []
    func add(_ itemClass: String, _ attributes: [String: Attribute], _ value: [UInt8], part: String) {
      var own = lines.isEmpty ? origin : EntryOrigin(source: source, entry: identifier)
      own.part = part
      var attributes = attributes
      attributes["icmt"] = .text(own.comment)
      lines.append(ImportLine(itemClass, folder: folderText, attributes: attributes, value: value, entry: identifier))
    }
    if let password {
      var attributes: [String: Attribute] = ["acct": .text(username)]
      if !title.isEmpty, title != service { attributes["labl"] = .text(title) }
      if let address {
        attributes.merge(address.attributes) { $1 }
        add("internet-password", attributes, password, part: "")
      } else {
        attributes["svce"] = .text(serviceName)
        if let generic { attributes["gena"] = .data(generic) }
        add("generic-password", attributes, password, part: "")
      }
    }
    let place = address?.server ?? serviceName
    func addPart(_ part: String, _ name: String, _ value: [UInt8], label: String? = nil) {
      var attributes: [String: Attribute] = [
        "svce": .text("\(place):\(name)"), "acct": .text(username), "desc": .text(part),
      ]
      if let label = label ?? (title.isEmpty || title == service ? nil : title) { attributes["labl"] = .text(label) }
      add("generic-password", attributes, value, part: part)
    }
    if !notes.isEmpty { addPart("notes", "notes", notes) }
    if let oneTimeCode { addPart("one-time code", "otp", Array(oneTimeCode.utf8)) }
    for attachment in attachments {
      addPart("attachment", attachment.name, attachment.contents, label: attachment.name)
    }
    // Only an item with a password has the address.
    if let details = details(beside: password == nil ? nil : address) { addPart("details", "details", details) }
    // An entry without anything is kept as an empty password: nothing disappears.
    if lines.isEmpty { add("generic-password", ["svce": .text(serviceName), "acct": .text(username)], [], part: "") }
    return lines
  }

  private var serviceName: String { service ?? (title.isEmpty ? addresses.first ?? "" : title) }

  /// What has no attribute, as JSON with sorted keys; nil if there is nothing.
  private func details(beside address: WebAddress?) -> [UInt8]? {
    var object: [String: JSONValue] = [:]
    if !credentials.isEmpty { object["credentials"] = .array(credentials) }
    if !fields.isEmpty { object["fields"] = .array(fields.map(\.json)) }
    if !history.isEmpty { object["history"] = .array(history) }
    if addresses.count > 1 || addresses.first.map({ !(address?.isWhole($0) ?? false) }) ?? false {
      object["urls"] = .array(addresses.map(JSONValue.string))
    }
    if !extra.isEmpty { object["extra"] = .object(extra) }
    guard !object.isEmpty else { return nil }
    return JSONValue.object(object).sortedBytes
  }
}

extension ForeignEntry.Field {
  var json: JSONValue {
    var members: [String: JSONValue] = ["name": .string(name)]
    if let text = String(validating: value, as: UTF8.self) {
      members["value"] = .string(text)
    } else {
      members["valueBase64"] = .string(Data(value).base64EncodedString())
    }
    if isProtected { members["isProtected"] = .bool(true) }
    return .object(members)
  }
}

extension JSONValue {
  /// The bytes with sorted keys, which are the same each time.
  var sortedBytes: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Every value of this type can be encoded: numbers that JSON does not have were not read.
    return (try? encoder.encode(self)).map { [UInt8]($0) } ?? []
  }
}
