internal import CofferPlatform
internal import CofferSystem

/// An entry of KeePassXC.
struct KeePassEntry {
  private(set) var entry = ForeignEntry()
  /// Whether a value is still encrypted, as inside of a database.
  private(set) var isProtected = false
  /// The names of attachments whose contents are missing.
  private(set) var missingAttachments: [String] = []
  /// The names of the values that KeePassXC takes from other entries.
  private(set) var references: [String] = []
  /// The number of attachments of earlier versions.
  private(set) var pastAttachmentCount = 0

  private static let passkeyFields = [
    "KPEX_PASSKEY_CREDENTIAL_ID": "credentialId", "KPEX_PASSKEY_RELYING_PARTY": "rpId",
    "KPEX_PASSKEY_USERNAME": "username", "KPEX_PASSKEY_USER_HANDLE": "userHandle",
    "KPEX_PASSKEY_PRIVATE_KEY_PEM": "key",
  ]

  init(_ element: XMLElement, binaries: [String: [UInt8]]) {
    entry.identifier = element.text("UUID")
    // Every entry has one, and an empty one is no password.
    var passkey: [String: JSONValue] = [:]
    for string in element.all("String") {
      guard let key = string.text("Key"), let value = string["Value"] else { continue }
      if value.attributes["Protected"]?.lowercased() == "true" { isProtected = true }
      if value.text.uppercased().contains("{REF:") { references.append(key) }
      switch key {
      case "Title": entry.title = value.text
      case "UserName": entry.username = value.text
      case "Password": if !value.bytes.isEmpty { entry.password = value.bytes }
      case "URL": if !value.bytes.isEmpty { entry.addresses.insert(value.text, at: 0) }
      case "Notes": entry.notes = value.bytes
      case "otp" where value.text.hasPrefix("otpauth://"): entry.oneTimeCode = value.text
      case _ where key.hasPrefix("KP2A_URL"): entry.addresses.append(value.text)
      case _ where Self.passkeyFields[key] != nil:
        passkey[Self.passkeyFields[key] ?? key] = .string(Self.passkeyText(value.text, of: key))
      default:
        entry.fields.append(
          ForeignEntry.Field(
            name: key, value: value.bytes, isProtected: value.attributes["ProtectInMemory"]?.lowercased() == "true"))
      }
    }
    if !passkey.isEmpty {
      passkey["type"] = .string("passkey")
      passkey["userDisplayName"] = passkey["username"]
      entry.credentials = [.object(passkey)]
    }
    if entry.title.isEmpty, entry.addresses.isEmpty { entry.title = entry.identifier ?? "" }
    entry.tags = (element.text("Tags") ?? "").split { ";,".contains($0) }.map(String.init)
    entry.created = (element["Times"]?.text("CreationTime")).flatMap(Self.date)
    entry.modified = (element["Times"]?.text("LastModificationTime")).flatMap(Self.date)
    addAttachments(of: element, binaries)
    pastAttachmentCount = element["History"]?.all("Entry").reduce(0) { $0 + $1.all("Binary").count } ?? 0
    entry.history = element["History"]?.all("Entry").map { Self.version($0) } ?? []
    entry.extra = Self.rest(of: element)
  }

  private mutating func addAttachments(of element: XMLElement, _ binaries: [String: [UInt8]]) {
    for binary in element.all("Binary") {
      let name = binary.text("Key") ?? ""
      if let contents = binary["Value"]?.attributes["Ref"].flatMap({ binaries[$0] }),
        entry.hasRoom(forAttachment: contents.count)
      {
        entry.attachments.append(ForeignEntry.Attachment(name: name, contents: contents))
      } else if let value = binary["Value"], value.attributes["Ref"] == nil, let data = Data(base64Encoded: value.text),
        entry.hasRoom(forAttachment: data.count)
      {
        entry.attachments.append(ForeignEntry.Attachment(name: name, contents: [UInt8](data)))
      } else {
        missingAttachments.append(name)
      }
    }
  }

  /// KeePassXC stores the key as PEM, and the exchange format has the same bytes in base64 for URLs.
  private static func passkeyText(_ text: String, of key: String) -> String {
    guard key == "KPEX_PASSKEY_PRIVATE_KEY_PEM" else { return text }
    let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
    return lines.joined().base64ForURLs
  }

  /// An earlier version: its texts, and when it was changed.
  private static func version(_ element: XMLElement) -> JSONValue {
    var members: [String: JSONValue] = [:]
    for string in element.all("String") {
      if let key = string.text("Key"), let value = string.text("Value") { members[key] = .string(value) }
    }
    var version: [String: JSONValue] = ["strings": .object(members)]
    if let time = element["Times"]?.text("LastModificationTime") { version["modified"] = .string(time) }
    return .object(version)
  }

  /// What an entry says beside its texts, if it is not what every entry says.
  private static func rest(of element: XMLElement) -> [String: JSONValue] {
    var rest: [String: JSONValue] = [:]
    if let times = element["Times"], times.text("Expires")?.lowercased() == "true",
      let expiry = times.text("ExpiryTime")
    {
      rest["expires"] = .string(expiry)
    }
    for name in ["OverrideURL", "ForegroundColor", "BackgroundColor", "CustomIconUUID"] {
      if let text = element.text(name), !text.isEmpty { rest[name] = .string(text) }
    }
    if let icon = element.text("IconID"), icon != "0" { rest["IconID"] = .string(icon) }
    if let autoType = element["AutoType"] {
      let associations = autoType.all("Association").map { association in
        JSONValue.object(
          Dictionary(association.children.map { ($0.name, .string($0.text)) }, uniquingKeysWith: { $1 }))
      }
      if !associations.isEmpty { rest["AutoType"] = .array(associations) }
      if let sequence = autoType.text("DefaultSequence"), !sequence.isEmpty {
        rest["DefaultSequence"] = .string(sequence)
      }
    }
    if let data = element["CustomData"] {
      let pairs = data.all("Item").compactMap { item in item.text("Key").map { ($0, item.text("Value") ?? "") } }
      let members = Dictionary(pairs.map { ($0.0, JSONValue.string($0.1)) }, uniquingKeysWith: { $1 })
      if !members.isEmpty { rest["CustomData"] = .object(members) }
    }
    return rest
  }

  /// Reads a time: ISO 8601, or the seconds since the year 1 in base64, as inside of a database.
  private static func date(_ text: String) -> Date? {
    if let date = Date(iso8601: text) { return date }
    guard let bytes = Data(base64Encoded: text), bytes.count == 8 else { return nil }
    let seconds = bytes.reversed().reduce(into: UInt64(0)) { $0 = $0 << 8 | UInt64($1) }
    return Date(timeIntervalSince1970: Double(seconds) - 62_135_596_800).ifReasonable
  }
}
