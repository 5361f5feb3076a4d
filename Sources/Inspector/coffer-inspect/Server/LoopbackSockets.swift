internal import CofferVault
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOPosix

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
