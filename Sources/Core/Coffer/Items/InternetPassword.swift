internal import CofferFormat

/// An internet password: Keychain's class `kSecClassInternetPassword`.
///
/// The primary key within an access group is account, security domain, server, protocol, authentication type, port,
/// path and ``KeychainItem/isSynchronizable``.
public struct InternetPassword: PasswordItem {
  /// The class as Keychain's four characters.
  public static let _classCode = "inet"
  /// The storage of the properties.
  public var _fields: _ItemFields

  /// Creates an item from stored attributes.
  public init(_fields: _ItemFields) { self._fields = _fields }

  /// Creates the attributes of an internet password.
  ///
  /// - Parameters:
  ///   - server: The server's name or address.
  ///   - account: The account.
  ///   - protocol: The protocol; nil for none.
  ///   - port: The port; nil for none.
  ///   - path: The path on the server; nil for none.
  ///   - label: The label that lists show to users; nil for none.
  ///   - accessibility: When the item may be read, and whether it may leave this machine; nil for the default.
  public init(
    server: String, account: String, protocol: InternetProtocol? = nil, port: Int? = nil, path: String? = nil,
    label: String? = nil, accessibility: ItemAccessibility? = nil
  ) {
    _fields = _ItemFields()
    self.server = server
    self.account = account
    self.protocol = `protocol`
    self.port = port
    self.path = path
    self.label = label
    self.accessibility = accessibility
  }

  /// The server's name or address.
  public var server: String {
    get { _fields[ItemAttribute<Self, String>.server] ?? "" }
    set { _fields[ItemAttribute<Self, String>.server] = newValue }
  }

  /// The security domain (realm).
  public var securityDomain: String? {
    get { _fields[ItemAttribute<Self, String>.securityDomain] }
    set { _fields[ItemAttribute<Self, String>.securityDomain] = newValue }
  }

  /// The protocol.
  public var `protocol`: InternetProtocol? {
    get { _fields[ItemAttribute<Self, InternetProtocol>.protocol] }
    set { _fields[ItemAttribute<Self, InternetProtocol>.protocol] = newValue }
  }

  /// How the server authenticates.
  public var authenticationType: InternetAuthenticationType? {
    get { _fields[ItemAttribute<Self, InternetAuthenticationType>.authenticationType] }
    set { _fields[ItemAttribute<Self, InternetAuthenticationType>.authenticationType] = newValue }
  }

  /// The server's port.
  public var port: Int? {
    get { _fields[ItemAttribute<Self, Int>.port] }
    set { _fields[ItemAttribute<Self, Int>.port] = newValue }
  }

  /// The path on the server.
  public var path: String? {
    get { _fields[ItemAttribute<Self, String>.path] }
    set { _fields[ItemAttribute<Self, String>.path] = newValue }
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
  /// The protocol; `kSecAttrProtocol`.
  public static var `protocol`: Self { Self(code: .protocol) }
}

extension ItemAttribute where Item == InternetPassword, Value == InternetAuthenticationType {
  /// How the server authenticates; `kSecAttrAuthenticationType`.
  public static var authenticationType: Self { Self(code: .authenticationType) }
}
