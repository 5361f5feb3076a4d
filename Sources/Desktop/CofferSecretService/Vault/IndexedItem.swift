internal import Coffer
internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import Crypto

/// An item of the vault as the service shows it, without its value. An object that never changes: lists of items are
/// made for each call, and copies of a structure with so many texts would take most of its time.
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

  var properties: ItemProperties {
    ItemProperties(label: label, attributes: attributes, created: created, modified: modified)
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

  /// The item of the vault if it is a generic password.
  var generic: StoredItem<GenericPassword>? { if case .generic(let stored) = source { stored } else { nil } }
}

/// Whether an item with some attributes has all of those that are wanted.
func has(_ attributes: [String: String], _ wanted: [String: String]) -> Bool {
  wanted.allSatisfy { attributes[$0.key] == $0.value }
}

/// A password of the vault that the service shows.
protocol ShownPassword: PasswordItem {
  static func shown(_ stored: StoredItem<Self>) -> IndexedItem
}

extension GenericPassword: ShownPassword {
  static func shown(_ stored: StoredItem<GenericPassword>) -> IndexedItem { IndexedItem(stored) }
}

extension InternetPassword: ShownPassword {
  static func shown(_ stored: StoredItem<InternetPassword>) -> IndexedItem { IndexedItem(stored) }
}

/// An item that a program stores.
struct NewItem: Sendable {
  var label: String
  var attributes: [String: String]
  var contentType: String
  var subcollection: String?
  var value: [UInt8]

  /// The item of the vault. Its names are for people and derived from the attributes, so that machines that store the
  /// same item at the same time store one; a number makes them unique if another item has them.
  func password(isUnique: Bool) -> GenericPassword {
    let (service, account) = Self.names(label, attributes, subcollection, isUnique: isUnique)
    var password = GenericPassword(service: service, account: account, label: label.isEmpty ? nil : label)
    password.generic = Data(record.bytes)
    return password
  }

  private var record: SecretServiceRecord {
    SecretServiceRecord(attributes: attributes, contentType: contentType, collection: subcollection)
  }

  /// Returns service and account for attributes. The account has a part of a hash of them: other items of a program can
  /// have the same service and user, and differ in another attribute.
  static func names(
    _ label: String, _ attributes: [String: String], _ subcollection: String?, isUnique: Bool
  ) -> (service: String, account: String) {
    let serviceName = SecretServiceRecord.serviceName(in: attributes)
    let schema = attributes[IndexedItem.schemaName].flatMap { $0.isEmpty ? nil : $0 }
    let service = serviceName.flatMap { attributes[$0] } ?? schema ?? (label.isEmpty ? "secret" : label)
    let user = SecretServiceRecord.accountName(in: attributes).flatMap { attributes[$0] } ?? ""
    let identity = SecretServiceRecord(attributes: attributes, collection: subcollection).bytes
    let digest = isUnique ? Random.bytes(count: 6) : Array(SHA256.hash(data: identity).prefix(6))
    let prefix = user.isEmpty ? "" : String(String.UnicodeScalarView(user.unicodeScalars.prefix(200))) + " "
    return (String(String.UnicodeScalarView(service.unicodeScalars.prefix(200))), prefix + hexadecimal(digest))
  }
}

/// A collection as the service shows it.
struct CollectionInfo: Equatable {
  /// The last element of the path, unescaped.
  let identifier: String
  /// The access group that has the items.
  let group: String
  /// The identifier within the group; nil for the group's own collection.
  let subcollection: String?
  let label: String
  let aliases: [String]
  let isWritable: Bool
  let created: UInt64
  let modified: UInt64
  let path: String

  init(
    identifier: String, group: String, subcollection: String? = nil, label: String, aliases: [String] = [],
    isWritable: Bool = true, created: UInt64 = 0, modified: UInt64 = 0
  ) {
    self.identifier = identifier
    self.group = group
    self.subcollection = subcollection
    self.label = label
    self.aliases = aliases
    self.isWritable = isWritable
    self.created = created
    self.modified = modified
    // Once, and not for each of the items whose paths begin with it.
    path = ObjectAddress.collection(identifier).path
  }

  /// Stands for a collection within a group while the vault is locked, which then does not say whether there is one.
  init(locked identifier: String) {
    self.init(identifier: identifier, group: "", subcollection: identifier, label: "")
  }

  /// Whether this is the collection of a whole access group.
  var isGroup: Bool { subcollection == nil }

  /// Returns the identifier of a new collection within a group: its label, from which programs derive the path as with
  /// gnome-keyring, and a number after it if another collection has the identifier.
  static func newSubcollection(label: String, besides taken: Set<String>) -> String {
    let taken = taken.union(reserved)
    let base = SecretServiceRecord.collectionIdentifier(ofLabel: label)
    guard taken.contains(base) else { return base }
    var number = 1
    while taken.contains("\(base)_\(number)") { number += 1 }
    return "\(base)_\(number)"
  }

  /// The identifiers of collections that are always there.
  static let reserved = SecretServiceRecord.standardCollections

  /// Whether a text can be the identifier of a collection within a group.
  static func isSubcollection(_ text: String) -> Bool {
    !reserved.contains(text) && SecretServiceRecord.isCollectionIdentifier(text)
  }
}

/// How the access groups of an app are called as collections.
struct CollectionNames {
  /// The identifier of the app's own collection: that of its default group.
  let own: String
  /// The default group of the app; nil while it is not known.
  var defaultGroup: String?

  init(own: String) { self.own = own }

  /// The label of the app's own collection.
  static let ownLabel = "Coffer"
  /// The identifier of the collection that ends with the service.
  static let session = "session"

  /// Returns the identifier of a group's collection: the name without the team, which says nothing to people.
  func identifier(ofGroup name: String) -> String {
    if name == defaultGroup { return own }
    // Groups of several teams have no team in their names.
    guard !name.hasPrefix("group."), let dot = name.firstIndex(of: ".") else { return name }
    let rest = String(name[name.index(after: dot)...])
    return rest == own || rest == Self.session ? name : rest
  }

  func label(ofGroup name: String) -> String {
    let identifier = identifier(ofGroup: name)
    return identifier == own ? Self.ownLabel : identifier
  }
}
