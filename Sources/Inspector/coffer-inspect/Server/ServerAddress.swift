internal import HTTPTypes

/// The names under which browsers reach the server, and the rules by which requests name it.
struct ServerAddress: Sendable {
  /// The port of both loopback addresses.
  let port: Int

  /// The address that is opened.
  var url: String { "http://127.0.0.1:\(port)/" }

  /// The values of the header Host that requests may have. A page of another name that was made to point to this
  /// machine (DNS rebinding) sends its own.
  private var hosts: [String] { ["127.0.0.1:\(port)", "[::1]:\(port)", "localhost:\(port)"] }

  /// Returns whether a request names this server as its host.
  func isHost(of request: HTTPRequest) -> Bool { request.authority.map(hosts.contains) ?? false }

  /// Returns whether a browser has sent a request for a page of this server, or for the address that the user has
  /// entered. The request names this server as its host. If it changes something, nothing but a page of this server may
  /// have sent it.
  func isOwnSite(of request: HTTPRequest, isWrite: Bool) -> Bool {
    let site = request.headerFields[.secFetchSite]
    let origin = request.headerFields[.origin]
    let isOwnOrigin = origin.map { $0 == "http://\(request.authority ?? "")" }
    guard isWrite else { return isOwnOrigin != false && (site == nil || site == "same-origin" || site == "none") }
    // A page with the policy no-referrer sends "null" as the origin of its forms. Then Sec-Fetch-Site must tell.
    if origin == nil || origin == "null" { return site == "same-origin" }
    return isOwnOrigin == true && (site == nil || site == "same-origin")
  }
}
