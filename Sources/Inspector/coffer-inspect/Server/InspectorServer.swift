internal import CofferSystem
internal import CofferVault
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging

/// The HTTP server of the pages.
struct InspectorServer: Sendable {
  let inspector: Inspector
  let logger: Logger
  private let connections: ConnectionLimit
  private let sockets: LoopbackSockets
  private let sessions: Sessions

  /// The address with the one-time token in its fragment, which browsers do not send.
  let url: String

  /// Binds the sockets of a port, 0 for a random one. Requests are answered when ``run()`` is called. The logger
  /// receives errors, and at the level debug each request's method and which page it was for. Throws `io` if the port
  /// is taken or not allowed.
  static func bind(_ inspector: Inspector, port: Int, logger: Logger) async throws(VaultError) -> InspectorServer {
    let connections = ConnectionLimit()
    let sockets = try await LoopbackSockets.bind(port: port, limit: connections)
    let token = Sessions.randomText()
    return InspectorServer(
      inspector: inspector, logger: logger, connections: connections, sockets: sockets,
      sessions: Sessions(token: token), url: "\(ServerAddress(port: sockets.port).url)#\(token)")
  }

  /// Waits until a browser has opened the address, for a limited time or until the task is cancelled.
  func waitForToken(atMost time: Duration) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { [sessions] in await sessions.waitForExchange() }
      group.addTask { try? await Task.sleep(for: time) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Answers requests until the inspector ends, and returns why it ended.
  func run() async -> InspectorEnd {
    let connection = InspectorConnection(responder: responder(), limit: connections)
    return await withTaskGroup(of: Void.self) { group in
      group.addTask { await sockets.serve(connection, logger: logger) }
      let reason = await inspector.waitForEnd()
      sessions.endAll()
      sockets.close()
      // The page that says "lock" receives its answer first.
      try? await Task.sleep(for: .milliseconds(200))
      connections.closeAll()
      await group.waitForAll()
      return reason
    }
  }

  /// Returns which page a request is for, as its route names it. The path itself may contain the name of a group or the
  /// token of an undo, and the query what a user searches for.
  private static func page(of request: Request, _ context: InspectorContext) -> String {
    if let route = context.endpointPath { return route }
    if request.uri.path.hasPrefix(Asset.path) { return Asset.path + "{file}" }
    return RequestGuard.paths.contains(request.uri.path) ? request.uri.path : "NotFound"
  }

  private func responder() -> HTTPChannelHandler.Responder {
    let router = Router(context: InspectorContext.self, options: .autoGenerateHeadEndpoints)
    router.add(
      middleware: RequestGuard(
        inspector: inspector, sessions: sessions, address: ServerAddress(port: sockets.port), connections: connections))
    addPages(to: router.group(), of: inspector)
    let pages = router.buildResponder()
    let logger = logger
    return { request, writer, channel in
      let context = InspectorContext(source: ApplicationRequestContextSource(channel: channel, logger: logger))
      var response: Response
      do {
        response = try await pages.respond(to: request, context: context)
      } catch {
        response = FailurePage.response(PageFailure(error), for: request, context: context)
      }
      logger.debug(
        "\(request.method.rawValue.sanitizedForTerminal()) \(Self.page(of: request, context)) \(response.status.code)")
      try await writer.write(response: response.head, body: response.body)
    }
  }
}
