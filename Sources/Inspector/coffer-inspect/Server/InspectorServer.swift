internal import CofferInspection
internal import CofferSystem
internal import CofferVault
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix

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

/// The sockets that listen on both loopback addresses at one port.
struct LoopbackSockets: Sendable {
  typealias Socket = NIOAsyncChannel<InspectorConnection.Value, Never>

  private let sockets: [Socket]
  let port: Int

  /// Binds 127.0.0.1 and ::1, or only the first if the machine has no IPv6. Port 0 is a random one that is free at both
  /// addresses. Throws `io` if the port is taken or not allowed.
  static func bind(
    port: Int, limit: ConnectionLimit
  ) async throws(VaultError) -> LoopbackSockets {
    // Another program may have a random port at the other address.
    for _ in 1...20 {
      let first: Socket
      do {
        first = try await bind("127.0.0.1", port, limit)
      } catch {
        throw failure(error, port)
      }
      let chosen = first.channel.localAddress?.port ?? port
      do {
        return LoopbackSockets(sockets: [first, try await bind("::1", chosen, limit)], port: chosen)
      } catch let error as IOError where [EADDRNOTAVAIL, EAFNOSUPPORT, EPROTONOSUPPORT].contains(error.errnoCode) {
        return LoopbackSockets(sockets: [first], port: chosen)
      } catch {
        try? await first.channel.close()
        if port != 0 { throw failure(error, port) }
      }
    }
    throw VaultError(.io, "no port is free at 127.0.0.1 and ::1", recoverySuggestion: "choose one with --port")
  }

  private static func bind(
    _ host: String, _ port: Int, _ limit: ConnectionLimit
  ) async throws -> Socket {
    try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      // What comes at once waits here, and the kernel lets the others try again.
      .serverChannelOption(.backlog, value: 4096)
      // Allows the port of connections that have just ended, and none that another program listens on.
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.allowRemoteHalfClosure, value: true)
      .bind(host: host, port: port) { InspectorConnection.setUp($0, limit) }
  }

  private static func failure(_ error: any Error, _ port: Int) -> VaultError {
    switch (error as? IOError)?.errnoCode {
    case EADDRINUSE:
      VaultError(
        .io, "another program uses port \(port)", recoverySuggestion: "choose another --port, or none for a free one")
    case EACCES, EPERM:
      VaultError(
        .io, "this user may not use port \(port)", recoverySuggestion: "choose a --port from 1024 on, or none")
    default:
      VaultError(
        .io, "cannot listen on 127.0.0.1: \(error)", recoverySuggestion: "check the loopback network interface")
    }
  }

  /// Accepts connections until ``close()``.
  func serve(_ connection: InspectorConnection, logger: Logger) async {
    await withDiscardingTaskGroup { group in
      for socket in sockets {
        group.addTask {
          do {
            try await socket.executeThenClose { connections in
              await withDiscardingTaskGroup { group in
                do {
                  for try await channel in connections {
                    group.addTask { await connection.handle(value: channel, logger: logger) }
                  }
                } catch {
                  logger.debug("A socket failed", metadata: ["error": "\(error)"])
                }
              }
            }
          } catch {
            logger.debug("A socket failed", metadata: ["error": "\(error)"])
          }
        }
      }
    }
  }

  /// Stops accepting connections.
  func close() {
    for socket in sockets { socket.channel.close(promise: nil) }
  }
}

/// The files of the pages, which are part of the program. They contain nothing of a vault and need no session.
enum Asset {
  /// The beginning of their paths.
  static let path = "/assets/"

  private static let files: [String: (type: String, bytes: @Sendable () -> [UInt8])] = [
    // The drawings of CofferInspection, whose classes it declares.
    "access.css": ("text/css; charset=utf-8", { Array(AccessDrawing.styleSheet.utf8) }),
    "enter.js": ("text/javascript; charset=utf-8", { PackageResources.enter_js }),
    "icon.svg": ("image/svg+xml", { PackageResources.icon_svg }),
    "inspector.css": ("text/css; charset=utf-8", { styleSheets.flatMap { $0() } }),
    "inspector.js": (
      "text/javascript; charset=utf-8",
      { PackageResources.health_js + PackageResources.inspector_js + PackageResources.palette_js }
    ),
  ]

  /// One file of the address inspector.css, in this order: of two rules with one weight, the later one applies.
  private static let styleSheets: [@Sendable () -> [UInt8]] = [
    { PackageResources.inspector_css }, { PackageResources.items_css }, { PackageResources.overview_css },
    { PackageResources.health_css }, { PackageResources.widths_css },
  ]

  /// Returns the file for the path of a request, as it was sent. Nothing but the exact names leads anywhere.
  static func response(of path: Substring) throws -> Response {
    guard let file = files[String(path.dropFirst(Self.path.count))] else { throw HTTPError(.notFound) }
    return Response(
      status: .ok, headers: [.contentType: file.type],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes())))
  }
}
