internal import CofferFormat
public import Foundation

/// What generic and internet passwords have in common.
public protocol PasswordItem: KeychainItem {}

extension ItemAttribute where Item: PasswordItem, Value == String {
  /// Whose it is; `kSecAttrAccount`.
  public static var account: Self { Self(text: .account) }
  /// Notes for people; `kSecAttrComment`.
  public static var comment: Self { Self(text: .comment) }
  /// What kind of item it is, for people; `kSecAttrDescription`.
  public static var description: Self { Self(text: .itemDescription) }
}

extension ItemAttribute where Item: PasswordItem, Value == Int {
  /// The creator's four characters as a number; `kSecAttrCreator`.
  public static var creator: Self { Self(number: .creator) }
  /// The type's four characters as a number; `kSecAttrType`.
  public static var type: Self { Self(number: .type) }
}

extension ItemAttribute where Item: PasswordItem, Value == Bool {
  /// `kSecAttrIsInvisible`.
  public static var isInvisible: Self { Self(flag: .isInvisible) }
  /// `kSecAttrIsNegative`: the item stands for a password that is not to be kept.
  public static var isNegative: Self { Self(flag: .isNegative) }
}

extension PasswordItem {
  /// Whose it is; part of the primary key; at most 1 MiB of UTF-8.
  public var account: String {
    get { fields[ItemAttribute<Self, String>.account] ?? "" }
    set { fields[ItemAttribute<Self, String>.account] = newValue }
  }

  /// Notes for people.
  public var comment: String? {
    get { fields[ItemAttribute<Self, String>.comment] }
    set { fields[ItemAttribute<Self, String>.comment] = newValue }
  }

  /// What kind of item it is, for people.
  public var description: String? {
    get { fields[ItemAttribute<Self, String>.description] }
    set { fields[ItemAttribute<Self, String>.description] = newValue }
  }

  /// The creator's four characters as a number.
  public var creator: Int? {
    get { fields[ItemAttribute<Self, Int>.creator] }
    set { fields[ItemAttribute<Self, Int>.creator] = newValue }
  }

  /// The type's four characters as a number.
  public var type: Int? {
    get { fields[ItemAttribute<Self, Int>.type] }
    set { fields[ItemAttribute<Self, Int>.type] = newValue }
  }

  /// True for an item that lists should not show.
  public var isInvisible: Bool {
    get { fields[ItemAttribute<Self, Bool>.isInvisible] ?? false }
    set { fields[ItemAttribute<Self, Bool>.isInvisible] = newValue }
  }

  /// True for an item that stands for a password that is not to be kept.
  public var isNegative: Bool {
    get { fields[ItemAttribute<Self, Bool>.isNegative] ?? false }
    set { fields[ItemAttribute<Self, Bool>.isNegative] = newValue }
  }
}

/// A generic password: Keychain's class `kSecClassGenericPassword`.
///
/// Service and account are its primary key within an access group, with ``KeychainItem/isSynchronizable``.
public struct GenericPassword: PasswordItem {
  /// The class by Keychain's four characters.
  public static let classCode = "genp"
  /// What the properties are kept in.
  public var fields: ItemFields

  /// An item with the attributes that were stored.
  public init(fields: ItemFields) { self.fields = fields }

  /// Names a password. `service` is what it is for, usually an app's or a server's name; each text has at most 1 MiB of UTF-8.
  public init(service: String, account: String, label: String? = nil) {
    fields = ItemFields()
    self.service = service
    self.account = account
    self.label = label
  }

  /// What the password is for.
  public var service: String {
    get { fields[ItemAttribute<Self, String>.service] ?? "" }
    set { fields[ItemAttribute<Self, String>.service] = newValue }
  }

  /// Bytes of the app's own; `kSecAttrGeneric`.
  public var generic: Data? {
    get { fields[ItemAttribute<Self, Data>.generic] }
    set { fields[ItemAttribute<Self, Data>.generic] = newValue }
  }
}

extension ItemAttribute where Item == GenericPassword, Value == String {
  /// What the password is for; `kSecAttrService`.
  public static var service: Self { Self(text: .service) }
}

extension ItemAttribute where Item == GenericPassword, Value == Data {
  /// Bytes of the app's own; `kSecAttrGeneric`.
  public static var generic: Self { Self(data: .generic) }
}

/// An internet password: Keychain's class `kSecClassInternetPassword`.
///
/// Account, security domain, server, protocol, authentication type, port and path are its primary key within an access group,
/// with ``KeychainItem/isSynchronizable``.
public struct InternetPassword: PasswordItem {
  /// The class by Keychain's four characters.
  public static let classCode = "inet"
  /// What the properties are kept in.
  public var fields: ItemFields

  /// An item with the attributes that were stored.
  public init(fields: ItemFields) { self.fields = fields }

  /// Names a password for an account on a server.
  public init(
    server: String, account: String, protocol: InternetProtocol? = nil, port: Int? = nil, path: String? = nil,
    label: String? = nil
  ) {
    fields = ItemFields()
    self.server = server
    self.account = account
    self.protocol = `protocol`
    self.port = port
    self.path = path
    self.label = label
  }

  /// The server's name or address.
  public var server: String {
    get { fields[ItemAttribute<Self, String>.server] ?? "" }
    set { fields[ItemAttribute<Self, String>.server] = newValue }
  }

  /// The security domain (realm).
  public var securityDomain: String? {
    get { fields[ItemAttribute<Self, String>.securityDomain] }
    set { fields[ItemAttribute<Self, String>.securityDomain] = newValue }
  }

  /// The protocol by which the server is spoken to.
  public var `protocol`: InternetProtocol? {
    get { fields[ItemAttribute<Self, InternetProtocol>.protocol] }
    set { fields[ItemAttribute<Self, InternetProtocol>.protocol] = newValue }
  }

  /// How the server authenticates.
  public var authenticationType: AuthenticationType? {
    get { fields[ItemAttribute<Self, AuthenticationType>.authenticationType] }
    set { fields[ItemAttribute<Self, AuthenticationType>.authenticationType] = newValue }
  }

  /// The server's port.
  public var port: Int? {
    get { fields[ItemAttribute<Self, Int>.port] }
    set { fields[ItemAttribute<Self, Int>.port] = newValue }
  }

  /// The path on the server.
  public var path: String? {
    get { fields[ItemAttribute<Self, String>.path] }
    set { fields[ItemAttribute<Self, String>.path] = newValue }
  }
}

extension ItemAttribute where Item == InternetPassword, Value == String {
  /// The server's name or address; `kSecAttrServer`.
  public static var server: Self { Self(text: .server) }
  /// The security domain; `kSecAttrSecurityDomain`.
  public static var securityDomain: Self { Self(text: .securityDomain) }
  /// The path on the server; `kSecAttrPath`.
  public static var path: Self { Self(text: .path) }
}

extension ItemAttribute where Item == InternetPassword, Value == Int {
  /// The server's port; `kSecAttrPort`.
  public static var port: Self { Self(number: .port) }
}

extension ItemAttribute where Item == InternetPassword, Value == InternetProtocol {
  /// The protocol by which the server is spoken to; `kSecAttrProtocol`.
  public static var `protocol`: Self { Self(code: .protocol) }
}

extension ItemAttribute where Item == InternetPassword, Value == AuthenticationType {
  /// How the server authenticates; `kSecAttrAuthenticationType`.
  public static var authenticationType: Self { Self(code: .authenticationType) }
}
