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

/// The protocol of an internet password, as Keychain's four characters (`kSecAttrProtocol`, SecItem.h).
public struct InternetProtocol: RawRepresentable, Hashable, Sendable {
  /// Keychain's four characters.
  public let rawValue: String
  /// Creates a value from Keychain's four characters.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// `kSecAttrProtocolFTP`.
  public static let ftp = InternetProtocol(rawValue: "ftp ")
  /// `kSecAttrProtocolFTPAccount`.
  public static let ftpAccount = InternetProtocol(rawValue: "ftpa")
  /// `kSecAttrProtocolHTTP`.
  public static let http = InternetProtocol(rawValue: "http")
  /// `kSecAttrProtocolIRC`.
  public static let irc = InternetProtocol(rawValue: "irc ")
  /// `kSecAttrProtocolNNTP`.
  public static let nntp = InternetProtocol(rawValue: "nntp")
  /// `kSecAttrProtocolPOP3`.
  public static let pop3 = InternetProtocol(rawValue: "pop3")
  /// `kSecAttrProtocolSMTP`.
  public static let smtp = InternetProtocol(rawValue: "smtp")
  /// `kSecAttrProtocolSOCKS`.
  public static let socks = InternetProtocol(rawValue: "sox ")
  /// `kSecAttrProtocolIMAP`.
  public static let imap = InternetProtocol(rawValue: "imap")
  /// `kSecAttrProtocolLDAP`.
  public static let ldap = InternetProtocol(rawValue: "ldap")
  /// `kSecAttrProtocolAppleTalk`.
  public static let appleTalk = InternetProtocol(rawValue: "atlk")
  /// `kSecAttrProtocolAFP`.
  public static let afp = InternetProtocol(rawValue: "afp ")
  /// `kSecAttrProtocolTelnet`.
  public static let telnet = InternetProtocol(rawValue: "teln")
  /// `kSecAttrProtocolSSH`.
  public static let ssh = InternetProtocol(rawValue: "ssh ")
  /// `kSecAttrProtocolFTPS`.
  public static let ftps = InternetProtocol(rawValue: "ftps")
  /// `kSecAttrProtocolHTTPS`.
  public static let https = InternetProtocol(rawValue: "htps")
  /// `kSecAttrProtocolHTTPProxy`.
  public static let httpProxy = InternetProtocol(rawValue: "htpx")
  /// `kSecAttrProtocolHTTPSProxy`.
  public static let httpsProxy = InternetProtocol(rawValue: "htsx")
  /// `kSecAttrProtocolFTPProxy`.
  public static let ftpProxy = InternetProtocol(rawValue: "ftpx")
  /// `kSecAttrProtocolSMB`.
  public static let smb = InternetProtocol(rawValue: "smb ")
  /// `kSecAttrProtocolRTSP`.
  public static let rtsp = InternetProtocol(rawValue: "rtsp")
  /// `kSecAttrProtocolRTSPProxy`.
  public static let rtspProxy = InternetProtocol(rawValue: "rtsx")
  /// `kSecAttrProtocolDAAP`.
  public static let daap = InternetProtocol(rawValue: "daap")
  /// `kSecAttrProtocolEPPC`.
  public static let eppc = InternetProtocol(rawValue: "eppc")
  /// `kSecAttrProtocolIPP`.
  public static let ipp = InternetProtocol(rawValue: "ipp ")
  /// `kSecAttrProtocolNNTPS`.
  public static let nntps = InternetProtocol(rawValue: "ntps")
  /// `kSecAttrProtocolLDAPS`.
  public static let ldaps = InternetProtocol(rawValue: "ldps")
  /// `kSecAttrProtocolTelnetS`.
  public static let telnets = InternetProtocol(rawValue: "tels")
  /// `kSecAttrProtocolIMAPS`.
  public static let imaps = InternetProtocol(rawValue: "imps")
  /// `kSecAttrProtocolIRCS`.
  public static let ircs = InternetProtocol(rawValue: "ircs")
  /// `kSecAttrProtocolPOP3S`.
  public static let pop3s = InternetProtocol(rawValue: "pops")
}

/// How a server authenticates, as Keychain's four characters (`kSecAttrAuthenticationType`, SecItem.h).
public struct InternetAuthenticationType: RawRepresentable, Hashable, Sendable {
  /// Keychain's four characters.
  public let rawValue: String
  /// Creates a value from Keychain's four characters.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// `kSecAttrAuthenticationTypeNTLM`.
  public static let ntlm = InternetAuthenticationType(rawValue: "ntlm")
  /// `kSecAttrAuthenticationTypeMSN`.
  public static let msn = InternetAuthenticationType(rawValue: "msna")
  /// `kSecAttrAuthenticationTypeDPA`.
  public static let dpa = InternetAuthenticationType(rawValue: "dpaa")
  /// `kSecAttrAuthenticationTypeRPA`.
  public static let rpa = InternetAuthenticationType(rawValue: "rpaa")
  /// `kSecAttrAuthenticationTypeHTTPBasic`.
  public static let httpBasic = InternetAuthenticationType(rawValue: "http")
  /// `kSecAttrAuthenticationTypeHTTPDigest`.
  public static let httpDigest = InternetAuthenticationType(rawValue: "httd")
  /// `kSecAttrAuthenticationTypeHTMLForm`.
  public static let htmlForm = InternetAuthenticationType(rawValue: "form")
  /// `kSecAttrAuthenticationTypeDefault`.
  public static let `default` = InternetAuthenticationType(rawValue: "dflt")
}
