/// The escapes of URLs: a percent sign and two hexadecimal digits for a byte.
package enum PercentEscapes {
  /// What stands for itself in each part of a URL: RFC 3986.
  package static let unreserved = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~".utf8)

  /// Returns a text with an escape in place of each byte but the plain ones: by default those that RFC 3986 calls
  /// unreserved.
  package static func encode(_ text: String, except plain: Set<UInt8> = unreserved) -> String {
    text.utf8.map { byte in
      guard !plain.contains(byte) else { return String(Unicode.Scalar(byte)) }
      let digits = String(byte, radix: 16, uppercase: true)
      return "%" + (byte < 16 ? "0" : "") + digits
    }.joined()
  }

  /// Returns the bytes of a text with escapes, or nil if an escape is malformed.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = rest.prefix(2)
      guard digits.count == 2, digits.first != UInt8(ascii: "+"), digits.first != UInt8(ascii: "-"),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return bytes
  }
}

/// An `https` or `http` URL that was given with a password, and is used and stored without it.
package struct URLPassword {
  /// The URL with the user name and without the password.
  package let url: String
  /// User name and password, separated by a zero byte.
  package let credential: [UInt8]
  package let escapedPassword: String

  /// Takes the password out of a URL. Returns nil if it has none that can be used.
  package init?(_ text: String) {
    guard let scheme = ["https://", "http://"].first(where: { text.lowercased().hasPrefix($0) }) else { return nil }
    let rest = text.dropFirst(scheme.count)
    let authority = rest.prefix { $0 != "/" }
    guard let at = authority.lastIndex(of: "@") else { return nil }
    let user = authority[..<at]
    guard let colon = user.firstIndex(of: ":"), colon > user.startIndex,
      let name = PercentEscapes.decode(user[..<colon]),
      let password = PercentEscapes.decode(user[user.index(after: colon)...]),
      !password.isEmpty, !(name + password).contains(0)
    else { return nil }
    url = String(text.prefix(scheme.count)) + user[..<colon] + rest[at...]
    credential = name + [0] + password
    escapedPassword = String(user[user.index(after: colon)...])
  }
}

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

/// Names and addresses of this machine itself, as URLs spell them.
package enum LoopbackName {
  /// Returns whether the host of a URL is this machine: `localhost`, an address that begins with 127, or `::1`, with or
  /// without brackets. False for every other name, whatever it resolves to.
  package static func contains(_ host: String) -> Bool {
    let host = host.lowercased()
    if ["localhost", "::1", "[::1]"].contains(host) { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { UInt8($0) != nil && $0.utf8.first != UInt8(ascii: "+") }
  }
}
