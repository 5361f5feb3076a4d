internal import CofferFormat
public import Foundation

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
