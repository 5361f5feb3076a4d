/// How a server authenticates, by Keychain's four characters (`kSecAttrAuthenticationType`, SecItem.h).
public struct AuthenticationType: RawRepresentable, Hashable, Sendable {
  /// Keychain's four characters.
  public let rawValue: String
  /// Names one by Keychain's four characters.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// `kSecAttrAuthenticationTypeNTLM`.
  public static let ntlm = AuthenticationType(rawValue: "ntlm")
  /// `kSecAttrAuthenticationTypeMSN`.
  public static let msn = AuthenticationType(rawValue: "msna")
  /// `kSecAttrAuthenticationTypeDPA`.
  public static let dpa = AuthenticationType(rawValue: "dpaa")
  /// `kSecAttrAuthenticationTypeRPA`.
  public static let rpa = AuthenticationType(rawValue: "rpaa")
  /// `kSecAttrAuthenticationTypeHTTPBasic`.
  public static let httpBasic = AuthenticationType(rawValue: "http")
  /// `kSecAttrAuthenticationTypeHTTPDigest`.
  public static let httpDigest = AuthenticationType(rawValue: "httd")
  /// `kSecAttrAuthenticationTypeHTMLForm`.
  public static let htmlForm = AuthenticationType(rawValue: "form")
  /// `kSecAttrAuthenticationTypeDefault`.
  public static let `default` = AuthenticationType(rawValue: "dflt")
}
