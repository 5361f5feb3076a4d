internal import CofferCrypto
internal import HTTPTypes

/// The cookie that names a session.
///
/// Browsers accept the prefix `__Host-` only together with `Secure`, and Safari stores no such cookie for http, not even
/// on loopback. So the name has no prefix, and the cookie has what the prefix stands for: no domain, and the path `/`.
/// Browsers send cookies to all ports of a host, so the name contains the port: two inspectors do not overwrite each
/// other's. What another server on this machine could read of it is of no use to another user: see ``PeerOwner``.
struct SessionCookie: Sendable {
  let port: Int

  private var name: String { "coffer-session-\(port)" }

  /// Returns the header that stores a session in the browser until that is closed.
  func header(for session: InspectorSession) -> String {
    let value = unsafe session.identifier.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    return "\(name)=\(value); Path=/; HttpOnly; SameSite=Strict"
  }

  /// The header that deletes the cookie.
  var deletion: String { "\(name)=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0" }

  /// Returns the values that a request has under the cookie's name: several, if another server of this machine has
  /// set one for a longer path.
  func values(in request: HTTPRequest) -> [SecretText] {
    request.headerFields[values: .cookie].flatMap { $0.split(separator: ";") }.compactMap { part in
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, pair[0].drop(while: { $0 == " " }) == name else { return nil }
      return SecretText(copying: pair[1].utf8)
    }
  }
}
