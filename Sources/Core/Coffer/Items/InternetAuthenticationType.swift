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
