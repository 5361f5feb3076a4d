internal import CofferSystem

/// An object of the service, as its path names it. It says nothing of whether the object exists.
package enum ObjectAddress: Hashable, Sendable {
  case service
  /// A collection, by its identifier.
  case collection(String)
  /// A collection, by another name.
  case alias(String)
  /// An item of a collection.
  case item(collection: String, item: String)
  /// An item of the collection that has an alias.
  case aliasedItem(alias: String, item: String)
  case session(String)
  case prompt(String)
  /// A path above objects, for programs that explore the service.
  case folder

  /// Reads a path; nil for a path that no object of the service can have.
  package init?(path: String) {
    let root = ServiceName.root.split(separator: "/").map(String.init)
    let parts = path.split(separator: "/").map(String.init)
    guard path.hasPrefix("/"), path.utf8.count <= 4_096 else { return nil }
    guard parts.starts(with: root) else {
      guard root.starts(with: parts) else { return nil }
      self = .folder
      return
    }
    let names = parts.dropFirst(root.count).map(Self.unescaped)
    switch (names.first, names.count) {
    case (nil, _): self = .service
    case ("collection", 1), ("aliases", 1), ("session", 1), ("prompt", 1): self = .folder
    case ("collection", 2): self = .collection(names[1])
    case ("collection", 3): self = .item(collection: names[1], item: names[2])
    case ("aliases", 2): self = .alias(names[1])
    case ("aliases", 3): self = .aliasedItem(alias: names[1], item: names[2])
    case ("session", 2): self = .session(names[1])
    case ("prompt", 2): self = .prompt(names[1])
    default: return nil
    }
  }

  /// The path.
  package var path: String {
    let names: [String] =
      switch self {
      case .service: []
      case .collection(let name): ["collection", name]
      case .item(let collection, let item): ["collection", collection, item]
      case .alias(let name): ["aliases", name]
      case .aliasedItem(let alias, let item): ["aliases", alias, item]
      case .session(let name): ["session", name]
      case .prompt(let name): ["prompt", name]
      case .folder: []
      }
    return names.reduce(ServiceName.root) { "\($0)/\(Self.escaped($1))" }
  }

  /// The collection and the name of an item; nil for any other object.
  var itemPlace: (collection: ObjectAddress, item: String)? {
    switch self {
    case .item(let collection, let item): (.collection(collection), item)
    case .aliasedItem(let alias, let item): (.alias(alias), item)
    default: nil
    }
  }

  /// Returns a name as one element of a path, which has ASCII letters, digits and underscores only: each other byte
  /// becomes an underscore and its two hexadecimal digits.
  package static func escaped(_ name: String) -> String {
    guard !name.isEmpty else { return "_" }
    var bytes: [UInt8] = []
    let digits = Array("0123456789abcdef".utf8)
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "_"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the name that an element of a path stands for. An underscore without two digits stands for itself: no name
  /// is escaped like that, so the result is a name that nothing has.
  package static func unescaped(_ element: String) -> String {
    guard element != "_" else { return "" }
    var bytes: [UInt8] = []
    var rest = Array(element.utf8)[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "_"), rest.count >= 2, let high = Self.digit(rest[rest.startIndex]),
        let low = Self.digit(rest[rest.startIndex + 1])
      {
        bytes.append(high << 4 | low)
        rest.removeFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

/// The names of the interface `org.freedesktop.secrets`.
package enum ServiceName {
  /// The name on the bus.
  package static let bus = "org.freedesktop.secrets"
  /// The path of the service.
  package static let root = "/org/freedesktop/secrets"

  static let service = "org.freedesktop.Secret.Service"
  static let collection = "org.freedesktop.Secret.Collection"
  static let item = "org.freedesktop.Secret.Item"
  static let session = "org.freedesktop.Secret.Session"
  static let prompt = "org.freedesktop.Secret.Prompt"
  static let properties = "org.freedesktop.DBus.Properties"
  static let introspectable = "org.freedesktop.DBus.Introspectable"
  static let peer = "org.freedesktop.DBus.Peer"
  /// The interface of `coffer lock`, at the path of the service.
  static let control = "coffer.SecretService"
  /// Its only method: drops all keys, and returns how many apps had keys here that no agent keeps.
  static let lockKeys = "LockKeys"

  /// The path that stands for no object: of a prompt that is not needed, of an alias that nothing has.
  static let noObject = "/"
}
