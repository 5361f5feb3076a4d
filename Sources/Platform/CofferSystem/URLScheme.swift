/// The schemes of URLs that Keychain has a protocol for.
package enum URLScheme {
  /// Keychain's four characters of each scheme.
  package static let protocols: [String: String] = [
    "https": "htps", "http": "http", "ftp": "ftp ", "ftps": "ftps", "ssh": "ssh ", "imap": "imap", "imaps": "imps",
    "smtp": "smtp", "pop3": "pop3", "pop3s": "pops", "ldap": "ldap", "ldaps": "ldps", "smb": "smb ", "rtsp": "rtsp",
    "irc": "irc ", "ircs": "ircs", "telnet": "teln", "nntp": "nntp", "afp": "afp ",
  ]

  /// Returns the scheme of a protocol; nil if there is none.
  package static func named(byProtocol code: String) -> String? { protocols.first { $0.value == code }?.key }
}
