internal import CofferPlatform

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
