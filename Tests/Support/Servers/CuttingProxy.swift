private import Foundation

/// A loopback port that passes connections on to another one, and can cut them after a number of bytes.
package final class CuttingProxy {
  /// Where bytes flow.
  package enum Direction: String, CaseIterable, Sendable { case toClient, toServer }

  /// A connection that has ended.
  package struct Connection: Sendable {
    /// How many bytes were passed on.
    package let byteCounts: [Direction: Int]
    package let wasCut: Bool
  }

  package let port: UInt16
  private let directory: TemporaryDirectory
  private let process: SpawnedProgram

  /// Begins to pass connections on to a port.
  package init(to server: UInt16) throws {
    // Every other number of bytes ends as a program that is killed, the others as a router that forgets the connection.
    let script = """
      import os, socket, struct, sys, threading
      target, folder = int(sys.argv[1]), sys.argv[2]
      log = os.open(folder + "/connections", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
      listener = socket.create_server(("127.0.0.1", 0), backlog=64)
      def limit():
          try: direction, count = open(folder + "/limit").read().split()
          except OSError: return None, 0
          return direction, int(count)
      def serve(client):
          direction, count = limit()
          counts, is_cut = {"toClient": 0, "toServer": 0}, threading.Event()
          server = socket.create_connection(("127.0.0.1", target))
          def end(how):
              for end in (client, server):
                  try: end.shutdown(how)
                  except OSError: pass
          def pump(source, sink, name):
              try:
                  while not is_cut.is_set():
                      bytes = source.recv(min(65536, count - counts[name]) if name == direction else 65536)
                      if not bytes: break
                      sink.sendall(bytes)
                      counts[name] += len(bytes)
                      if name == direction and counts[name] == count:
                          is_cut.set()
                          end(socket.SHUT_RD if count % 2 else socket.SHUT_RDWR)
                  if not is_cut.is_set(): sink.shutdown(socket.SHUT_WR)
              except OSError: end(socket.SHUT_RDWR)
          other = threading.Thread(target=pump, args=(client, server, "toServer"))
          other.start()
          pump(server, client, "toClient")
          other.join()
          for end in (client, server):
              if is_cut.is_set() and count % 2:
                  end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
              end.close()
          os.write(log, f"{counts['toClient']} {counts['toServer']} {int(is_cut.is_set())}\\n".encode())
      def accept(client):
          try: serve(client)
          except OSError: os.write(log, b"0 0 0\\n")
      with open(folder + "/port.new", "w") as file: file.write(str(listener.getsockname()[1]))
      os.rename(folder + "/port.new", folder + "/port")
      while True:
          client = listener.accept()[0]
          os.write(log, b"begins\\n")
          threading.Thread(target=accept, args=(client,), daemon=True).start()
      """
    directory = try TemporaryDirectory()
    process = try SpawnedProgram(["python3", "-c", script, "\(server)", directory.path])
    guard let port = UInt16(try waitForFile(directory.path("port"))) else {
      throw SpawnedProgram.Failure(description: "the proxy does not start")
    }
    self.port = port
  }

  deinit { process.end(signal: 9) }

  /// Cuts each connection that begins from now on after it has passed on some bytes in one direction.
  package func cut(after count: Int, _ direction: Direction) throws {
    try Data("\(direction.rawValue) \(count)".utf8)
      .write(to: URL(fileURLWithPath: directory.path("limit")), options: .atomic)
  }

  /// Cuts no connection that begins from now on.
  package func heal() { try? FileManager.default.removeItem(atPath: directory.path("limit")) }

  /// Waits until all connections have ended, and returns them.
  package func connections() throws -> [Connection] {
    var ended: [Connection] = []
    try waitUntil("all connections have ended") {
      let lines =
        (try? String(contentsOfFile: directory.path("connections"), encoding: .utf8))?
        .split(separator: "\n") ?? []
      ended = lines.compactMap { line in
        let numbers = line.split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 3 else { return nil }
        return Connection(byteCounts: [.toClient: numbers[0], .toServer: numbers[1]], wasCut: numbers[2] == 1)
      }
      return 2 * ended.count == lines.count
    }
    return ended
  }
}
