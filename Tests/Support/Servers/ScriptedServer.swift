private import Foundation

#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#else
  private import Darwin
#endif

/// A server on a loopback port that sends fixed bytes to each connection after the first bytes of a request, whatever
/// they are, and then is silent or closes the connection.
package final class ScriptedServer {
  package let port: UInt16
  /// A file that the server creates when it has received the first bytes of a request.
  package let requestPath: String
  private let directory: TemporaryDirectory
  private let process: SpawnedProgram

  /// - Parameters:
  ///   - answer: The bytes.
  ///   - isSilent: Whether the connection stays open afterwards.
  ///   - endless: What is sent again and again after the answer; empty for nothing.
  /// - Throws: An error if the server cannot be started.
  package init(answer: [UInt8], isSilent: Bool, endless: [UInt8] = []) throws {
    let script = """
      import socket, sys, threading, time
      answer = open(sys.argv[1], "rb").read()
      endless = open(sys.argv[3], "rb").read()
      server = socket.create_server(("127.0.0.1", 0))
      print(server.getsockname()[1], flush=True)
      def serve(connection):
          if connection.recv(65536): open(sys.argv[4], "w").close()
          connection.sendall(answer)
          try:
              while endless: connection.sendall(endless)
          except OSError: return
          if sys.argv[2] == "silent": time.sleep(3600)
          connection.shutdown(socket.SHUT_WR)
          while connection.recv(65536): pass
          connection.close()
      while True: threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
      """
    directory = try TemporaryDirectory()
    requestPath = directory.path("request")
    let path = directory.path("port")
    let output = unsafe open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(output) }
    let file = directory.path("answer")
    try Data(answer).write(to: URL(fileURLWithPath: file))
    let endlessFile = directory.path("endless")
    try Data(endless).write(to: URL(fileURLWithPath: endlessFile))
    let process = try SpawnedProgram(
      ["python3", "-c", script, file, isSilent ? "silent" : "closing", endlessFile, requestPath], output: output)
    var port: UInt16?
    try waitUntil("the server listens") {
      guard let data = FileManager.default.contents(atPath: path), data.last == UInt8(ascii: "\n") else { return false }
      port = UInt16(String(decoding: data.dropLast(), as: UTF8.self))
      return true
    }
    guard let port else { throw SpawnedProgram.Failure(description: "the server does not start") }
    (self.port, self.process) = (port, process)
  }

  deinit { process.end(signal: SIGKILL) }
}
