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
      case .text(let text):
        var container = encoder.singleValueContainer()
        try container.encode(text)
      case .number(let number):
        var container = encoder.singleValueContainer()
        try container.encode(number)
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
  /// The folder in the source, with slashes between names, in which a slash is %2F and a percent sign %25; of an export of
  /// Coffer, the access group without the team.
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
