internal import Coffer
internal import CofferVault

/// What git wants a credential for, and the internet passwords that are for it.
struct GitPlace {
  let `protocol`: String
  let server: String
  let port: Int?
  /// Nil if git asks for the whole server.
  let path: String?
  /// Nil if git asks for any user.
  let username: String?

  /// Reads the place of a message; nil if it has no protocol or host, for which there can be no credential.
  init?(_ message: GitCredential) {
    guard let name = message.text("protocol"), !name.isEmpty, let host = message.text("host"), !host.isEmpty else {
      return nil
    }
    self.protocol = name
    // The last colon, unless it is one of an address of IPv6.
    if let match = host.wholeMatch(of: /(.+):([0-9]{1,5})/), let number = Int(match.output.2), number <= 65_535,
      !match.output.1.contains(":") || match.output.1.hasSuffix("]")
    {
      server = String(match.output.1)
      port = number
    } else {
      server = host
      port = nil
    }
    path = message.text("path").flatMap { $0.isEmpty ? nil : $0 }
    username = message.text("username")
  }

  /// The query for the passwords that may be for the place.
  func query(in group: String?) -> ItemQuery<InternetPassword> {
    ItemQuery<InternetPassword>(in: group).matching(.server, server)
  }

  /// Whether a password is for the place: exactly, apart from what git does not name.
  func includes(_ item: InternetPassword) -> Bool {
    let wanted = Self.protocols[self.protocol]
    return item.server == server && item.namedProtocol == wanted && (wanted != nil || item.securityDomain == domain)
      && (item.port ?? 0) == (port ?? 0) && (path == nil || item.path == path)
      && (username == nil || item.account == username)
  }

  /// A new password for the place.
  var item: InternetPassword {
    var item = InternetPassword(
      server: server, account: username ?? "", protocol: Self.protocols[self.protocol], port: port, path: path)
    if item.protocol == nil { item.securityDomain = domain }
    return item
  }

  /// What tells a protocol apart for which Keychain has no code.
  private var domain: String { "git:\(self.protocol)" }

  private static let protocols: [String: InternetProtocol] = [
    "https": .https, "http": .http, "imap": .imap, "imaps": .imaps, "smtp": .smtp, "ftp": .ftp, "ftps": .ftps,
    "ssh": .ssh,
  ]
}
