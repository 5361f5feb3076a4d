internal import CofferCrypto
internal import HTTPTypes
internal import Synchronization

/// The one-time token, and the sessions that it was exchanged for.
final class Sessions: Sendable {
  private struct State {
    /// Nil after its use. Wrong tokens do not end it: nobody guesses 256 bits, and any program of this machine could
    /// keep the user out by sending some.
    var token: SecretText?
    var sessions: [InspectorSession] = []
  }

  private let state: Mutex<State>
  private let exchanged: AsyncStream<Void>
  private let exchanging: AsyncStream<Void>.Continuation

  /// Creates an empty set of sessions. The one-time token comes from ``randomText()``.
  init(token: String) {
    state = Mutex(State(token: SecretText(copying: token.utf8)))
    (exchanged, exchanging) = AsyncStream.makeStream()
  }

  /// Returns 256 random bits as text.
  static func randomText() -> String { hexadecimal(Random.bytes(count: 32)) }

  /// Begins a session for the right token, which works once. Returns nil if it is wrong or was used.
  func exchange(_ given: SecretText) -> InspectorSession? {
    let session = InspectorSession(
      identifier: SecretText(copying: Self.randomText().utf8), csrfToken: Self.randomText())
    return state.withLock { state in
      guard let token = state.token, token == given else { return nil }
      state.token = nil
      exchanging.finish()
      state.sessions.append(session)
      return session
    }
  }

  /// Returns whether a token is the right one and was not used, and leaves it so.
  func accepts(_ given: SecretText) -> Bool { state.withLock { $0.token == given } }

  /// Waits until the token does not work any more, or the task is cancelled. For one task at a time.
  func waitForExchange() async { for await _ in exchanged {} }

  /// Returns the session of a cookie; nil if there is none. Each comparison takes the same time whatever differs.
  func session(of cookie: SecretText) -> InspectorSession? {
    state.withLock { state in state.sessions.first { $0.identifier == cookie } }
  }

  /// Ends all sessions, and the token.
  func endAll() {
    state.withLock { state in (state.token, state.sessions) = (nil, []) }
    exchanging.finish()
  }
}

/// A browser that has given the one-time token.
struct InspectorSession: Sendable {
  /// The content of the session cookie.
  let identifier: SecretText
  /// What every write must repeat, in the field `csrf` of its form or in the header `X-Coffer-CSRF`.
  let csrfToken: String
}

/// The cookie that names a session.
///
/// Browsers accept the prefix `__Host-` only together with `Secure`, and Safari stores no such cookie for http, not
/// even on loopback. So the name has no prefix, and the cookie has what the prefix stands for: no domain, and the path
/// `/`. Browsers send cookies to all ports of a host, so the name contains the port: two inspectors do not overwrite
/// each other's. What another server on this machine could read of it is of no use to another user: see ``PeerOwner``.
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
