internal import CofferPlatform
internal import CofferSystem
internal import Crypto

/// An entry of another program.
struct ForeignEntry {
  /// Another field of an entry.
  struct Field: Equatable {
    var name: String
    var value: [UInt8]
    var isProtected = false
  }

  /// A file that belongs to an entry.
  struct Attachment: Equatable {
    var name: String
    var contents: [UInt8]
  }

  /// The identifier in the source; nil if it has none.
  var identifier: String?
  /// The names of the folders that contain the entry, from the outermost.
  var folder: [String] = []
  var title = ""
  var username = ""
  /// Nil if the entry has no password.
  var password: [UInt8]?
  /// The addresses, of which the first one gives the server.
  var addresses: [String] = []
  var notes: [UInt8] = []
  /// The `otpauth:` URL of the one-time codes.
  var oneTimeCode: String?
  var fields: [Field] = []
  var attachments: [Attachment] = []
  var tags: [String] = []
  var created: Date?
  var modified: Date?
  /// Credentials that are no passwords, such as passkeys, in the words of FIDO's Credential Exchange Format.
  var credentials: [JSONValue] = []
  /// Earlier versions, the newest one last.
  var history: [JSONValue] = []
  /// What else the source says of the entry, in its own words.
  var extra: [String: JSONValue] = [:]
  /// What the item of the password has as `kSecAttrGeneric`.
  var generic: [UInt8]?
  /// The service in place of the title: the whole path of an entry of pass.
  var service: String?

  mutating func addField(_ name: String, _ text: String, isProtected: Bool) {
    fields.append(Field(name: name, value: Array(text.utf8), isProtected: isProtected))
  }

  private static let maximumAttachmentCount = 1_000
  private static let maximumAttachmentByteCount = 256 << 20

  /// Whether the entry can have another attachment: a file may name the same contents again and again. `room` is what
  /// the items of the whole file may still have.
  func hasRoom(forAttachment byteCount: Int, within room: Int) -> Bool {
    attachments.count < Self.maximumAttachmentCount
      && attachments.reduce(byteCount) { $0 + $1.contents.count } <= min(Self.maximumAttachmentByteCount, room)
  }

  /// Returns the `otpauth:` URL for a seed in Base32 alone, which means a code of six digits every 30 seconds; nil for
  /// another text.
  func codeURL(ofSeed text: String) -> String? {
    let seed = text.filter { !$0.isWhitespace && $0 != "-" }
    let digits = seed.uppercased().utf8.reversed().drop { $0 == UInt8(ascii: "=") }
    guard !digits.isEmpty, digits.allSatisfy(Self.base32.contains) else { return nil }
    return codeURL(secret: seed)
  }

  /// Returns the `otpauth:` URL for a seed, which no other text is in.
  func codeURL(secret: String) -> String {
    "otpauth://totp/\(PercentEscapes.encode(title))?secret=\(PercentEscapes.encode(secret))"
  }

  private static let base32 = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// An identifier for a source that has none: the same for the same names.
  var derivedIdentifier: String {
    var names: [UInt8] = []
    for name in [title, username] + addresses + folder { names += Array(name.utf8) + [0] }
    return SHA256.hash(data: names).prefix(16).hexadecimal
  }
}

extension Sequence<UInt8> {
  /// Two digits for each byte, in lower case.
  var hexadecimal: String { map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
}

extension Collection<UInt8> {
  /// The bytes that two hexadecimal digits each stand for; nil if this is anything else.
  var fromHexadecimal: [UInt8]? {
    guard count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count / 2)
    var high: Int?
    for digit in self {
      guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
      if let first = high { bytes.append(UInt8(first << 4 | value)) }
      high = high == nil ? value : nil
    }
    return bytes
  }
}

extension Date {
  /// ISO 8601 in UTC, to the second.
  var iso8601Text: String { formatted(.iso8601) }
}

extension ForeignEntry {
  private typealias Attribute = ImportLine.Attribute

  /// The items of the entry: its password, and an item for each of notes, one-time codes, attachments, and everything
  /// that Keychain has no attribute for.
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

/// The parts of a URL that an internet password has.
struct WebAddress {
  let server: String
  private let scheme: String
  private let port: Int?
  private let path: String

  /// Reads a URL with a scheme that Keychain knows, or a host name alone; nil for anything else.
  init?(_ text: String) {
    var rest = text[...]
    if let end = text.firstRange(of: "://") {
      scheme = text[..<end.lowerBound].lowercased()
      rest = text[end.upperBound...]
      guard URLScheme.protocols[scheme] != nil else { return nil }
    } else {
      guard text.contains("."), !text.contains(":") else { return nil }
      scheme = ""
    }
    let authority = rest.prefix { !"/?#".contains($0) }
    guard !authority.contains("@"), text.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else { return nil }
    path = String(rest.dropFirst(authority.count).prefix { !"?#".contains($0) })
    var host = authority
    var number: Int?
    if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
      guard let value = Int(authority[authority.index(after: colon)...]), (1...65_535).contains(value) else {
        return nil
      }
      number = value
      host = authority[..<colon]
    }
    guard !host.isEmpty else { return nil }
    server = String(host)
    port = number
  }

  /// The attributes by Keychain's codes.
  var attributes: [String: ImportLine.Attribute] {
    var attributes: [String: ImportLine.Attribute] = ["srvr": .text(server)]
    if let code = URLScheme.protocols[scheme] {
      attributes["ptcl"] = .text(code)
      if let port { attributes["port"] = .number(Int64(port)) }
    }
    if !path.isEmpty, path != "/" { attributes["path"] = .text(path) }
    return attributes
  }

  /// Whether the attributes say all of the URL, but for the slash of a server's own page.
  func isWhole(_ url: String) -> Bool {
    let text = (scheme.isEmpty ? "" : "\(scheme)://") + server + (port.map { ":\($0)" } ?? "")
    return url == text + path
  }
}

extension String {
  /// Base64 in the form for URLs, without padding (RFC 4648).
  var base64ForURLs: String { replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "") }
}
