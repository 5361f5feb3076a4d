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
