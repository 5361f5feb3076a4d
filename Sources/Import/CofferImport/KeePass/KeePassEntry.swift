internal import CofferPlatform
internal import CofferSystem

/// An entry of KeePassXC.
struct KeePassEntry {
  private(set) var entry = ForeignEntry()
  /// Whether a value is still encrypted, as inside of a database.
  private(set) var isProtected = false
  /// The names of attachments whose contents are missing.
  private(set) var missingAttachments: [String] = []
  /// The names of the values that refer to no entry of the file.
  private(set) var unresolved: [String] = []

  /// What the items of the whole file may still have.
  private let room: Int
  /// The attachments so far, by their names in the versions that have them.
  private var known: [String: [ForeignEntry.Attachment]] = [:]

  private static let passkeyFields = [
    "KPEX_PASSKEY_CREDENTIAL_ID": "credentialId", "KPEX_PASSKEY_RELYING_PARTY": "rpId",
    "KPEX_PASSKEY_USERNAME": "username", "KPEX_PASSKEY_USER_HANDLE": "userHandle",
    "KPEX_PASSKEY_PRIVATE_KEY_PEM": "key",
  ]

  init(
    _ element: XMLElement, binaries: [String: [UInt8]], references: inout KeePassReferences, room: Int
  ) throws(ImportError) {
    self.room = room
    entry.identifier = element.text("UUID")
    var passkey: [String: JSONValue] = [:]
    var written: [String: JSONValue] = [:]
    var referenceRoom = KeePassReferences.maximumByteCount
    for string in element.all("String") {
      guard let key = string.text("Key"), let value = string["Value"] else { continue }
      if value.attributes["Protected"]?.lowercased() == "true" { isProtected = true }
      var bytes = value.bytes
      if KeePassReferences.isIn(bytes) {
        if let resolved = try references.resolve(bytes, limit: referenceRoom) {
          referenceRoom -= resolved.count
          written[key] = .string(value.text)
          bytes = resolved
        } else {
          unresolved.append(key)
        }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      switch key {
      case "Title": entry.title = text
      case "UserName": entry.username = text
      // Every entry has one, and an empty one is no password.
      case "Password": if !bytes.isEmpty { entry.password = bytes }
      case "URL": if !bytes.isEmpty { entry.addresses.insert(text, at: 0) }
      case "Notes": entry.notes = bytes
      case "otp" where text.hasPrefix("otpauth://"): entry.oneTimeCode = text
      case _ where key.hasPrefix("KP2A_URL"): entry.addresses.append(text)
      case _ where Self.passkeyFields[key] != nil:
        passkey[Self.passkeyFields[key] ?? key] = .string(Self.passkeyText(text, of: key))
      default:
        entry.fields.append(
          ForeignEntry.Field(
            name: key, value: bytes, isProtected: value.attributes["ProtectInMemory"]?.lowercased() == "true"))
      }
    }
    if !passkey.isEmpty {
      passkey["type"] = .string("passkey")
      passkey["userDisplayName"] = passkey["username"]
      entry.credentials = [.object(passkey)]
    }
    if entry.title.isEmpty, entry.addresses.isEmpty { entry.title = entry.identifier ?? "" }
    KeePassTimeCode.take(from: &entry)
    entry.tags = (element.text("Tags") ?? "").split { ";,".contains($0) }.map(String.init)
    entry.created = (element["Times"]?.text("CreationTime")).flatMap(Self.date)
    entry.modified = (element["Times"]?.text("LastModificationTime")).flatMap(Self.date)
    _ = addAttachments(of: element, binaries)
    for past in element["History"]?.all("Entry") ?? [] {
      let time = past["Times"]?.text("LastModificationTime") ?? "version \(entry.history.count + 1)"
      let names = addAttachments(of: past, binaries, time: time)
      entry.history.append(Self.version(past, attachments: names))
    }
    entry.extra = Self.rest(of: element)
    if !written.isEmpty { entry.extra["references"] = .object(written) }
  }

  /// An entry with the name of a group, for the group's notes.
  init(notes: [UInt8], of group: XMLElement) {
    room = 0
    entry.identifier = group.text("UUID")
    entry.title = group.text("Name").flatMap { $0.isEmpty ? nil : $0 } ?? entry.identifier ?? ""
    entry.notes = notes
  }

  /// Adds the attachments of the entry or, with a time, those of an earlier version that no later one has. Returns the
  /// name of each by that in the version.
  private mutating func addAttachments(
    of element: XMLElement, _ binaries: [String: [UInt8]], time: String? = nil
  ) -> [String: JSONValue] {
    var names: [String: JSONValue] = [:]
    for binary in element.all("Binary") {
      let ownName = binary.text("Key") ?? ""
      let name = time.map { "\(ownName) (\($0))" } ?? ownName
      guard let contents = Self.contents(of: binary, binaries) else {
        missingAttachments.append(name)
        continue
      }
      if time != nil, let known = known[ownName]?.first(where: { $0.contents == contents }) {
        names[ownName] = .string(known.name)
      } else if entry.hasRoom(forAttachment: contents.count, within: room) {
        let attachment = ForeignEntry.Attachment(name: name, contents: contents)
        entry.attachments.append(attachment)
        known[ownName, default: []].append(attachment)
        names[ownName] = .string(name)
      } else {
        missingAttachments.append(name)
      }
    }
    return names
  }

  /// The contents of an attachment: those with its number, or its own.
  private static func contents(of binary: XMLElement, _ binaries: [String: [UInt8]]) -> [UInt8]? {
    guard let value = binary["Value"] else { return nil }
    if let number = value.attributes["Ref"] { return binaries[number] }
    return Data(base64Encoded: value.text).map { [UInt8]($0) }
  }

  /// KeePassXC stores the key as PEM, and the exchange format has the same bytes in base64 for URLs.
  private static func passkeyText(_ text: String, of key: String) -> String {
    guard key == "KPEX_PASSKEY_PRIVATE_KEY_PEM" else { return text }
    let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("-----") }
    return lines.joined().base64ForURLs
  }

  /// An earlier version: its texts, when it was changed, and which attachments it had.
  private static func version(_ element: XMLElement, attachments: [String: JSONValue]) -> JSONValue {
    var texts: [String: [JSONValue]] = [:]
    for string in element.all("String") {
      if let key = string.text("Key"), let value = string.text("Value") {
        texts[key, default: []].append(.string(value))
      }
    }
    // KeePass lets fields have the same name if a plug-in or another program has written them.
    let members = texts.mapValues { $0.count == 1 ? $0[0] : .array($0) }
    var version: [String: JSONValue] = ["strings": .object(members)]
    if let time = element["Times"]?.text("LastModificationTime") { version["modified"] = .string(time) }
    if !attachments.isEmpty { version["attachments"] = .object(attachments) }
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

/// The one-time code that KeePass 2 describes by fields of an entry, such as `TimeOtp-Secret-Base32` and
/// `TimeOtp-Period`.
enum KeePassTimeCode {
  private static let algorithms = ["HMAC-SHA-1": "SHA1", "HMAC-SHA-256": "SHA256", "HMAC-SHA-512": "SHA512"]

  /// Moves the fields into the URL of the entry's one-time code. If one of them is unknown or malformed, or the entry
  /// has such a URL already, they stay fields.
  static func take(from entry: inout ForeignEntry) {
    guard entry.oneTimeCode == nil else { return }
    var values: [String: String] = [:]
    for field in entry.fields where field.name.hasPrefix("TimeOtp-") {
      guard let text = String(validating: field.value, as: UTF8.self),
        values.updateValue(text, forKey: field.name) == nil
      else { return }
    }
    let secrets = values.keys.filter { $0.hasPrefix("TimeOtp-Secret") }
    guard let name = secrets.first, secrets.count == 1, let text = values.removeValue(forKey: name),
      let secret = base32(text, of: name)
    else { return }
    var url = entry.codeURL(secret: secret)
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      switch (name, UInt16(value), algorithms[value]) {
      case ("TimeOtp-Length", let number?, _): url += "&digits=\(number)"
      case ("TimeOtp-Period", let number?, _): url += "&period=\(number)"
      case ("TimeOtp-Algorithm", _, let algorithm?): url += "&algorithm=\(algorithm)"
      default: return
      }
    }
    entry.oneTimeCode = url
    entry.fields.removeAll { $0.name.hasPrefix("TimeOtp-") }
  }

  /// Returns the secret of a field in Base32; nil if the field is unknown or its text malformed.
  private static func base32(_ text: String, of name: String) -> String? {
    let plain = text.filter { !$0.isWhitespace }
    let bytes: [UInt8]?
    switch name {
    case "TimeOtp-Secret-Base32": return plain.isEmpty ? nil : plain
    case "TimeOtp-Secret": bytes = Array(text.utf8)
    case "TimeOtp-Secret-Hex": bytes = plain.utf8.fromHexadecimal
    case "TimeOtp-Secret-Base64": bytes = Data(base64Encoded: plain).map { [UInt8]($0) }
    default: return nil
    }
    return bytes.flatMap { $0.isEmpty ? nil : base32($0) }
  }

  /// Base32 of RFC 4648, without padding.
  private static func base32(_ bytes: [UInt8]) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    var text = ""
    var (bits, count) = (0, 0)
    for byte in bytes {
      bits = (bits << 8 | Int(byte)) & 0xfff
      count += 8
      while count >= 5 {
        count -= 5
        text.append(alphabet[bits >> count & 31])
      }
    }
    if count > 0 { text.append(alphabet[bits << (5 - count) & 31]) }
    return text
  }
}
