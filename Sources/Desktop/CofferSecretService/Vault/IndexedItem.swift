internal import Coffer
internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem

/// An item of the vault as the service shows it, without its value. An object that never changes: lists of items are made for each
/// call, and copies of a structure with so many texts would take most of its time.
final class IndexedItem: Equatable {
  /// The item of the vault, by which its value is read and it is changed.
  enum Source: Equatable {
    case generic(StoredItem<GenericPassword>)
    case internet(StoredItem<InternetPassword>)
  }

  let source: Source
  /// The last element of the path: the same for as long as the item exists.
  let identifier: String
  let group: String
  let label: String
  /// The attributes by which programs find the item.
  let attributes: [String: String]
  let contentType: String
  /// The collection within the group; nil for the group's own.
  let subcollection: String?
  /// The other names, for the item that stands for a collection; nil for every other item.
  let aliases: [String]?
  let created: UInt64
  let modified: UInt64

  private static let genericSchema = "org.freedesktop.Secret.Generic"
  private static let networkSchema = "org.gnome.keyring.NetworkPassword"
  static let schemaName = "xdg:schema"

  init(_ stored: StoredItem<GenericPassword>) {
    let record = stored.generic.flatMap { SecretServiceRecord(bytes: [UInt8]($0)) }
    source = .generic(stored)
    identifier = "g" + hexadecimal([UInt8](stored.reference.data.dropFirst(4)))
    group = stored.accessGroup
    label = Self.shown(stored.label ?? (record == nil ? stored.service : ""))
    // What another program has stored is found by its names.
    let names = [Self.schemaName: Self.genericSchema, "service": stored.service, "account": stored.account]
    attributes = (record?.attributes ?? names).mapValues(Self.shown)
    contentType = record?.contentType ?? SecretServiceRecord.text
    subcollection = record?.collection
    aliases = record?.aliases
    created = stored.created.busSeconds
    modified = stored.modified.busSeconds
  }

  init(_ stored: StoredItem<InternetPassword>) {
    source = .internet(stored)
    identifier = "i" + hexadecimal([UInt8](stored.reference.data.dropFirst(4)))
    group = stored.accessGroup
    label = Self.shown(stored.label ?? stored.server)
    var attributes = [Self.schemaName: Self.networkSchema, "server": stored.server, "user": stored.account]
    if let name = stored.protocol.flatMap({ Self.protocolNames[$0] }) { attributes["protocol"] = name }
    if let port = stored.port { attributes["port"] = String(port) }
    if let path = stored.path { attributes["object"] = path }
    if let domain = stored.securityDomain { attributes["domain"] = domain }
    self.attributes = attributes.mapValues(Self.shown)
    contentType = SecretServiceRecord.text
    subcollection = nil
    aliases = nil
    created = stored.created.busSeconds
    modified = stored.modified.busSeconds
  }

  /// Returns a text as the bus can carry it, on which programs find it again: NUL ends a text there.
  private static func shown(_ text: String) -> String {
    text.utf8.contains(0) ? text.replacing("\0", with: "\u{FFFD}") : text
  }

  /// Everything else is read from the item of the vault.
  static func == (first: IndexedItem, second: IndexedItem) -> Bool { first === second || first.source == second.source }

  private static let protocolNames: [InternetProtocol: String] = [
    .http: "http", .https: "https", .ftp: "ftp", .ftps: "ftps", .ssh: "ssh", .smb: "smb", .imap: "imap",
    .imaps: "imaps", .pop3: "pop3", .pop3s: "pop3s", .smtp: "smtp", .ldap: "ldap", .ldaps: "ldaps",
  ]

  /// Whether a text has the form of an identifier.
  static func isIdentifier(_ text: String) -> Bool {
    text.utf8.count == 33 && (text.hasPrefix("g") || text.hasPrefix("i")) && bytes(hexadecimal: text.dropFirst()) != nil
  }

  /// Whether the item has all of the attributes.
  func matches(_ wanted: [String: String]) -> Bool { wanted.allSatisfy { attributes[$0.key] == $0.value } }

  /// The item of the vault if it is a generic password.
  var generic: StoredItem<GenericPassword>? { if case .generic(let stored) = source { stored } else { nil } }
}
