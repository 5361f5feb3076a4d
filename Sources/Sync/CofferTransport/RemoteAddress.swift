internal import CofferSystem

/// The URL of a remote, as the program that has started this one has checked it: a scheme, a host that is a name or an
/// address, perhaps a port, and a path.
package struct RemoteAddress: Hashable, Sendable {
  package let scheme: String
  /// In lower case; an IPv6 address in brackets.
  let host: String
  let port: UInt16?
  /// Empty, or beginning with a slash; without one at its end.
  let path: String

  /// Reads an `https`, `http` or `git` URL without user, query and fragment. Returns nil for another one.
  package init?(_ text: String) {
    guard let separator = text.firstRange(of: "://") else { return nil }
    let scheme = text[..<separator.lowerBound].lowercased()
    guard ["https", "http", "git"].contains(scheme) else { return nil }
    let rest = text[separator.upperBound...]
    let authority = rest.prefix { $0 != "/" }
    // In a path, as in https://host/@jane/vault.git, an at sign separates no user.
    guard text.unicodeScalars.allSatisfy({ $0.isASCII && $0.value > 0x20 && $0.value != 0x7f }),
      !rest.contains(where: { "?#\\".contains($0) }), !authority.contains("@")
    else { return nil }
    var host = authority.lowercased()
    var port: UInt16?
    if let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") {
      guard let number = UInt16(host[colon...].dropFirst()), number > 0 else { return nil }
      port = number
      host = String(host[..<colon])
    }
    guard !host.isEmpty else { return nil }
    self.scheme = scheme
    self.host = host
    self.port = port == Self.standardPort(of: scheme) ? nil : port
    path = String(rest.dropFirst(authority.count))
  }

  private static func standardPort(of scheme: String) -> UInt16 {
    switch scheme {
    case "https": 443
    case "http": 80
    default: 9418
    }
  }

  /// The port to connect to.
  var effectivePort: UInt16 { port ?? Self.standardPort(of: scheme) }

  /// The host with its port, if that is not the standard one.
  var authority: String { port.map { "\(host):\($0)" } ?? host }

  var text: String { "\(scheme)://\(authority)\(path)" }

  package var isSecure: Bool { scheme == "https" }

  /// Whether the host is this machine, by its name or address.
  package var isLoopback: Bool { LoopbackName.contains(host) }

  /// Returns whether a redirect may lead from this address to another one: only to the same server, or from it to the
  /// same name with encryption at the standard port. Credentials and requests never go anywhere else.
  func permitsRedirect(to other: RemoteAddress) -> Bool {
    guard host == other.host else { return false }
    if scheme == other.scheme { return port == other.port }
    return !isSecure && other.isSecure && other.port == nil && port == nil
  }
}
