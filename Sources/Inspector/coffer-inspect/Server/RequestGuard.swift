internal import CofferCrypto
internal import CofferVault
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Decides which requests reach a page, and answers all others: only requests of a browser with a session, that name
/// this server as their host and come from its own pages.
struct RequestGuard: RouterMiddleware {
  let inspector: Inspector
  let sessions: Sessions
  let address: ServerAddress
  let connections: ConnectionLimit

  /// The paths that are answered here.
  static let paths: Set<String> = ["/session", "/lock", "/unlock"]

  private var cookie: SessionCookie { SessionCookie(port: address.port) }

  /// The router's call of the next step.
  typealias Next = @concurrent (Request, InspectorContext) async throws -> Response

  @concurrent func handle(
    _ request: Request, context: InspectorContext, next: Next
  ) async throws -> Response {
    var context = context
    var response: Response
    do {
      response = try await answer(request, &context, next)
    } catch {
      response = FailurePage.response(PageFailure(error), for: request, context: context)
    }
    context.form.wipe()
    if request.method == .head { response = response.createHeadResponse() }
    return response
  }

  private func answer(
    _ request: Request, _ context: inout InspectorContext,
    _ next: Next
  ) async throws -> Response {
    let isWrite = request.method == .post
    guard isWrite || request.method == .get || request.method == .head else {
      var refusal = FailurePage.response(
        PageFailure(.methodNotAllowed, "This did not work", "only GET, HEAD and POST are supported"), for: request,
        context: context)
      refusal.headers[.allow] = "GET, HEAD, POST"
      return refusal
    }
    guard address.isHost(of: request.head) else {
      throw PageFailure(
        .forbidden, "This is not allowed", "the request names another host", suggestion: "open \(address.url)")
    }
    let path = request.head.path.map { $0.prefix { $0 != "?" } } ?? ""
    let isOwnSite = address.isOwnSite(of: request.head, isWrite: isWrite)
    if !isWrite, path.hasPrefix(Asset.path) { return try Asset.response(of: path) }
    guard isOwnSite || !isWrite else { throw Self.noSession }
    if isWrite, path == "/session" { return try await exchange(request, on: context.channel) }
    guard isOwnSite, let session = session(of: request, on: context.channel) else {
      if !isWrite, path == "/" { return EntryPage.response(isTokenWrong: false) }
      throw Self.noSession
    }
    context.session = session
    connections.noteAuthentication(of: context.channel)
    if isWrite {
      context.form = try await InspectorForm.read(from: request)
      try checkCSRF(request, context.form, session)
    }
    inspector.expire()
    if request.headers[.cofferBackground] == nil { inspector.noteUse() }
    return try await answer(request, String(path), context, session, next)
  }

  private func answer(
    _ request: Request, _ path: String, _ context: InspectorContext, _ session: InspectorSession,
    _ next: Next
  ) async throws -> Response {
    if request.method == .post, path == "/lock" { return lock() }
    // Pages that are open ask in the background whether they may stay.
    if request.method != .post, path == "/session" {
      return Response(status: inspector.isLocked ? .locked : .noContent)
    }
    guard inspector.isLocked else { return try await next(request, context) }
    let isUnlock = request.method == .post && path == "/unlock"
    if isUnlock { return await unlock(context.form, session) }
    let target = request.method == .post ? "/" : request.head.path ?? "/"
    return unlockPage(session, target)
  }

  // MARK: Sessions

  private func session(of request: Request, on channel: any Channel) -> InspectorSession? {
    for value in cookie.values(in: request.head) {
      // A process of another user has no business here, whatever it has found.
      if let session = sessions.session(of: value) { return connections.isOwn(channel) ? session : nil }
    }
    return nil
  }

  private func exchange(_ request: Request, on channel: any Channel) async throws -> Response {
    let form = try await InspectorForm.read(from: request, maximumByteCount: 1024)
    defer { form.wipe() }
    // Compared first: to look up the user at the other end takes far more time, which nobody is to use up by guesses.
    guard let token = form.secret("token"), sessions.accepts(token) else {
      return EntryPage.response(isTokenWrong: true)
    }
    guard connections.isOwn(channel) else { throw Self.noSession }
    guard let session = sessions.exchange(token) else { return EntryPage.response(isTokenWrong: true) }
    inspector.noteUse()
    var response = Response.redirect(to: "/")
    response.headers[.setCookie] = cookie.header(for: session)
    return response
  }

  private func checkCSRF(_ request: Request, _ form: InspectorForm, _ session: InspectorSession) throws {
    let given = request.headers[.cofferCSRF] ?? form["csrf"] ?? ""
    guard SecretText(copying: given.utf8) == SecretText(copying: session.csrfToken.utf8) else {
      throw PageFailure(
        .forbidden, "This is not allowed", "the form is not one of this session",
        suggestion: "reload the page and try again")
    }
  }

  // MARK: Locking

  private func lock() -> Response {
    sessions.endAll()
    inspector.end(.locked)
    var response = EndPage.response("The vault is locked, and coffer inspect has ended. To look again: coffer inspect")
    response.headers[.setCookie] = cookie.deletion
    response.headers[.clearSiteData] = #""cache""#
    response.headers[.connection] = "close"
    return response
  }

  private func unlock(_ form: InspectorForm, _ session: InspectorSession) async -> Response {
    let target = form["to"].flatMap(Self.ownPath) ?? "/"
    do {
      guard let passphrase = form.filledSecret("passphrase") else {
        return unlockPage(session, target, "Enter the passphrase of this machine.")
      }
      try await inspector.unlock(passphrase: passphrase)
      return Response.redirect(to: target)
    } catch {
      let failure = PageFailure(error)
      return unlockPage(session, target, "\(failure.message).")
    }
  }

  private func unlockPage(_ session: InspectorSession, _ target: String, _ message: String? = nil) -> Response {
    UnlockPage.response(session, on: inspector.machineName, returningTo: target, message: message)
  }

  /// Returns a text if it is a path of this server, which a redirect may lead to.
  private static func ownPath(_ text: String) -> String? {
    let isPlain = text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
    return isPlain && text.hasPrefix("/") && !text.hasPrefix("//") ? text : nil
  }

  private static let noSession = PageFailure(
    .forbidden, "This is not allowed", "this browser has no session with coffer inspect",
    suggestion: "open the address that coffer inspect printed, or start it again")
}

/// What the pages know of a request beside its head.
struct InspectorContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The session; nil only for requests that reach no page.
  var session: InspectorSession?
  /// The fields of the request's form; empty for requests without one.
  var form = InspectorForm()
  /// The connection that the request arrived on.
  let channel: any Channel

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    channel = source.channel
  }
}

extension HTTPField.Name {
  /// Requests that a page sends by itself, which do not count as use.
  static let cofferBackground = named("X-Coffer-Background")
  /// The CSRF token of requests that a script sends.
  static let cofferCSRF = named("X-Coffer-CSRF")
  /// The part of a page that a script asks for.
  static let cofferFragment = named("X-Coffer-Fragment")
  /// What a browser forgets.
  static let clearSiteData = named("Clear-Site-Data")
  /// Where a browser says that a request comes from.
  static let secFetchSite = named("Sec-Fetch-Site")

  private static func named(_ name: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(name) else { preconditionFailure("this is no name of a header: \(name)") }
    return name
  }
}
