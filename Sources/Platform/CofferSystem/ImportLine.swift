package import CofferPlatform

/// A line of JSON that `coffer-import` prints for `coffer import`, and an element of `coffer export json`: an item, or
/// something about the source.
package struct ImportLine: Codable, Equatable, Sendable {
  /// An attribute of an item.
  package enum Attribute: Codable, Equatable, Sendable {
    case text(String)
    case number(Int64)
    case data([UInt8])
    /// In microseconds since 1970.
    case date(Int64)

    private enum CodingKeys: String, CodingKey {
      case base64, date
    }

    package init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      // Texts first: most attributes are texts, and each wrong type costs an error.
      if let text = try? container.decode(String.self) {
        self = .text(text)
      } else if let number = try? container.decode(Int64.self) {
        self = .number(number)
      } else {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        if let date = try object.decodeIfPresent(Int64.self, forKey: .date) {
          self = .date(date)
        } else {
          self = .data([UInt8](try object.decode(Data.self, forKey: .base64)))
        }
      }
    }

    package func encode(to encoder: any Encoder) throws {
      switch self {
      case .text(let text): try text.encode(to: encoder)
      case .number(let number): try number.encode(to: encoder)
      case .data(let bytes):
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Data(bytes), forKey: .base64)
      case .date(let date):
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(date, forKey: .date)
      }
    }
  }

  /// The class of an item, as `coffer show --class` takes it; nil for a line that is no item.
  package var itemClass: String?
  /// The folder in the source, with slashes between names, in which a slash is %2F and a percent sign %25; of an export
  /// of Coffer, the access group without the team.
  package var folder: String?
  /// The attributes by Keychain's codes.
  package var attributes: [String: Attribute]?
  /// The value, if it is text.
  package var value: String?
  /// The value in base64, if it is no text.
  package var valueBase64: Data?
  /// The entry of the source that the item is a part of. Lines of one entry follow each other.
  package var entry: String?

  /// The name of something that was skipped, and why.
  package var name: String?
  package var skipped: String?
  /// How many entries the source has.
  package var count: Int?
  /// Whether `coffer` is to ask for the password of the export, and to write it to standard input.
  package var ask: Bool?

  private enum CodingKeys: String, CodingKey {
    case itemClass = "class"
    case folder, attributes, value, valueBase64, entry, name, skipped, count, ask
  }

  package init() {}

  /// Creates an item.
  package init(_ itemClass: String, folder: String, attributes: [String: Attribute], value: [UInt8], entry: String?) {
    self.itemClass = itemClass
    self.folder = folder
    self.attributes = attributes
    self.entry = entry
    set(value)
  }

  /// The value as bytes.
  package var bytes: [UInt8] { value.map { Array($0.utf8) } ?? valueBase64.map { [UInt8]($0) } ?? [] }

  /// Sets the value: as text if it is text.
  package mutating func set(_ bytes: [UInt8]) {
    value = String(validating: bytes, as: UTF8.self)
    valueBase64 = value == nil ? Data(bytes) : nil
  }

  /// The text of an attribute; nil if the item has none or it is no text.
  package func text(_ code: String) -> String? {
    if case .text(let text) = attributes?[code] { text } else { nil }
  }

  /// The longest line that is read: a value of 16 MiB as escaped text, or in base64, with its attributes.
  package static let maximumByteCount = 128 << 20
}

/// What the comment of an imported item says about the entry of the other program: lines of a key, a colon and a text.
/// It is not secret. By it, an export puts the items of an entry together again.
package struct EntryOrigin: Equatable, Sendable {
  /// The program or format, as `coffer import` names it.
  package var source: String
  /// The identifier of the entry, unique in the source.
  package var entry: String
  /// Which part of the entry the item is; empty for the password.
  package var part = ""
  package var title = ""
  /// The folder, with slashes between names. In a name, a slash is %2F and a percent sign %25.
  package var folder = ""
  package var tags: [String] = []
  /// When the entry was created and changed there, as ISO 8601 in UTC.
  package var created: String?
  package var modified: String?

  package init(source: String, entry: String) {
    self.source = source
    self.entry = entry
  }

  /// Reads a comment; nil for one that an import has not written.
  package init?(comment: String) {
    var fields: [(key: String, text: String)] = []
    // As bytes: an accent after the space would make one character with it.
    for line in comment.utf8.split(separator: UInt8(ascii: "\n")) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")), let key = String(line[..<colon]),
        let escaped = String(line[colon...].dropFirst(2)),
        let text = PercentEscapes.decode(escaped).flatMap({ String(validating: $0, as: UTF8.self) })
      else { return nil }
      fields.append((key, text))
    }
    guard fields.count >= 2, fields[0].key == "imported from", fields[1].key == "entry" else { return nil }
    self.init(source: fields[0].text, entry: fields[1].text)
    for (key, text) in fields.dropFirst(2) {
      switch key {
      case "part": part = text
      case "title": title = text
      case "folder": folder = text
      case "tag": tags.append(text)
      case "created": created = text
      case "modified": modified = text
      default: return nil
      }
    }
  }

  /// The text of the comment.
  package var comment: String {
    var lines = [("imported from", source), ("entry", entry)]
    if !part.isEmpty { lines.append(("part", part)) }
    if !title.isEmpty { lines.append(("title", title)) }
    if !folder.isEmpty { lines.append(("folder", folder)) }
    lines += tags.map { ("tag", $0) }
    if let created { lines.append(("created", created)) }
    if let modified { lines.append(("modified", modified)) }
    return lines.map { "\($0.0): \(Self.escaped($0.1))" }.joined(separator: "\n")
  }

  /// Control characters and percent signs, as in a URL.
  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      if scalar.value < 32 || scalar.value == 127 || scalar == "%" {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        escaped += "%" + (digits.count < 2 ? "0" : "") + digits
      } else {
        escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}

/// What an item of a secret service has beside its label and its secret, as Coffer keeps it in the attribute
/// `kSecAttrGeneric`: JSON with sorted keys. `coffer import` writes it, and `coffer-secret-service` reads and writes
/// it.
package struct SecretServiceRecord: Codable, Equatable, Sendable {
  /// The attributes by which programs find the item.
  package var attributes: [String: String]
  /// The media type of the secret; nil for text.
  package var contentType: String?
  /// The identifier of a collection within the access group; nil for the group's own collection.
  package var collection: String?
  /// The names of a collection, for the item that stands for it; nil for every other item.
  package var aliases: [String]?

  package init(
    attributes: [String: String], contentType: String? = nil, collection: String? = nil, aliases: [String]? = nil
  ) {
    self.attributes = attributes
    self.contentType = contentType == Self.text ? nil : contentType
    self.collection = collection
    self.aliases = aliases
  }

  /// The media type of a secret that names none.
  package static let text = "text/plain"
  private static let maximumByteCount = 1 << 20

  /// Reads a record; nil if the bytes are none.
  package init?(bytes: [UInt8]) {
    guard bytes.count <= Self.maximumByteCount, bytes.first == UInt8(ascii: "{"),
      let record = try? JSONDecoder().decode(Self.self, from: Data(bytes))
    else { return nil }
    self = record
  }

  /// The bytes, which are the same for equal records.
  package var bytes: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Texts can always be encoded.
    return (try? encoder.encode(self)).map { [UInt8]($0) } ?? []
  }

  // MARK: Collections

  /// The identifiers of collections that are always there: the second is what gnome-keyring calls its default
  /// collection.
  package static let standardCollections: Set = ["default", "login", "session"]
  /// The service of an item that stands for a collection.
  package static let collectionService = "Secret Service collection"

  private static let maximumIdentifierLength = 255

  /// Returns the identifier of a collection with a label, as gnome-keyring derives it: programs such as aws-vault find
  /// their collection by the path that it makes.
  package static func collectionIdentifier(ofLabel label: String) -> String {
    guard !label.isEmpty else { return "unnamed" }
    var identifier = ""
    for scalar in label.unicodeScalars {
      let isKept = scalar.value >= 32 && scalar.value != 127 && !replacedScalars.contains(scalar)
      let next = isKept ? Character(scalar) : "_"
      guard identifier.utf8.count + next.utf8.count <= maximumIdentifierLength - numberLength else { break }
      identifier.unicodeScalars.append(contentsOf: next.unicodeScalars)
    }
    return identifier
  }

  /// What cannot be in the name of a file, and white space.
  private static let replacedScalars: Set<Unicode.Scalar> = [":", "/", "\\", "<", ">", "|", " "]
  /// What a number after the identifier needs.
  private static let numberLength = 12

  /// Whether a text can be the identifier of a collection.
  package static func isCollectionIdentifier(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= maximumIdentifierLength
      && text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 && !replacedScalars.contains($0) }
  }

  // MARK: Names for people

  /// The names that programs use for the account, and for what a secret is for.
  private static let accountNames = ["username", "account", "user", "login", "username_value"]
  private static let serviceNames = ["service", "server", "domain", "host", "application"]

  /// The name of the attribute that has the account; nil if there is none.
  package static func accountName(in attributes: [String: String]) -> String? {
    accountNames.first { attributes[$0]?.isEmpty == false }
  }

  /// The name of the attribute that says what the secret is for; nil if there is none.
  package static func serviceName(in attributes: [String: String]) -> String? {
    serviceNames.first { attributes[$0]?.isEmpty == false }
  }
}
