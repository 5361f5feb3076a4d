/// A protocol of an internet password, by Keychain's four characters (`kSecAttrProtocol`, SecItem.h).
public struct InternetProtocol: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let ftp = InternetProtocol(rawValue: "ftp ")
  public static let ftpAccount = InternetProtocol(rawValue: "ftpa")
  public static let http = InternetProtocol(rawValue: "http")
  public static let irc = InternetProtocol(rawValue: "irc ")
  public static let nntp = InternetProtocol(rawValue: "nntp")
  public static let pop3 = InternetProtocol(rawValue: "pop3")
  public static let smtp = InternetProtocol(rawValue: "smtp")
  public static let socks = InternetProtocol(rawValue: "sox ")
  public static let imap = InternetProtocol(rawValue: "imap")
  public static let ldap = InternetProtocol(rawValue: "ldap")
  public static let appleTalk = InternetProtocol(rawValue: "atlk")
  public static let afp = InternetProtocol(rawValue: "afp ")
  public static let telnet = InternetProtocol(rawValue: "teln")
  public static let ssh = InternetProtocol(rawValue: "ssh ")
  public static let ftps = InternetProtocol(rawValue: "ftps")
  public static let https = InternetProtocol(rawValue: "htps")
  public static let httpProxy = InternetProtocol(rawValue: "htpx")
  public static let httpsProxy = InternetProtocol(rawValue: "htsx")
  public static let ftpProxy = InternetProtocol(rawValue: "ftpx")
  public static let smb = InternetProtocol(rawValue: "smb ")
  public static let rtsp = InternetProtocol(rawValue: "rtsp")
  public static let rtspProxy = InternetProtocol(rawValue: "rtsx")
  public static let daap = InternetProtocol(rawValue: "daap")
  public static let eppc = InternetProtocol(rawValue: "eppc")
  public static let ipp = InternetProtocol(rawValue: "ipp ")
  public static let nntps = InternetProtocol(rawValue: "ntps")
  public static let ldaps = InternetProtocol(rawValue: "ldps")
  public static let telnets = InternetProtocol(rawValue: "tels")
  public static let imaps = InternetProtocol(rawValue: "imps")
  public static let ircs = InternetProtocol(rawValue: "ircs")
  public static let pop3s = InternetProtocol(rawValue: "pops")
}

/// How a server authenticates, by Keychain's four characters (`kSecAttrAuthenticationType`, SecItem.h).
public struct AuthenticationType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let ntlm = AuthenticationType(rawValue: "ntlm")
  public static let msn = AuthenticationType(rawValue: "msna")
  public static let dpa = AuthenticationType(rawValue: "dpaa")
  public static let rpa = AuthenticationType(rawValue: "rpaa")
  public static let httpBasic = AuthenticationType(rawValue: "http")
  public static let httpDigest = AuthenticationType(rawValue: "httd")
  public static let htmlForm = AuthenticationType(rawValue: "form")
  public static let `default` = AuthenticationType(rawValue: "dflt")
}
