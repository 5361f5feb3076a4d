private import Foundation

#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#else
  private import Darwin
#endif

/// A real tinyproxy on a loopback port.
package final class ProxyServer {
  package let port: UInt16
  private let directory: TemporaryDirectory
  private let process: SpawnedProgram

  /// What it has forwarded and refused.
  package var log: String {
    FileManager.default.contents(atPath: directory.path("log")).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Starts the proxy and returns when it accepts connections.
  ///
  /// - Parameters:
  ///   - login: The user name and password that it asks for; nil for none.
  ///   - allowedPorts: The ports to which it connects; empty for all.
  /// - Throws: An error if the proxy does not start.
  package init(login: (user: String, password: String)? = nil, allowedPorts: [UInt16] = []) throws {
    directory = try TemporaryDirectory()
    for _ in 1...20 {
      let port = try ClosedPort().number
      let lines =
        ["Port \(port)", "Listen 127.0.0.1", "Timeout 600", "Allow 127.0.0.1", "MaxClients 20"]
        + ["LogFile \"\(directory.path("log"))\"", "LogLevel Info"]
        + (login.map { ["BasicAuth \($0.user) \($0.password)"] } ?? []) + allowedPorts.map { "ConnectPort \($0)" }
      let configuration = try directory.write("tinyproxy.conf", lines.joined(separator: "\n") + "\n")
      let process = try SpawnedProgram(["tinyproxy", "-d", "-c", configuration])
      try waitUntil("tinyproxy listens") { !process.isRunning || (try? TCPConnection(port: port)) != nil }
      if process.isRunning {
        (self.port, self.process) = (port, process)
        return
      }
    }
    throw SpawnedProgram.Failure(description: "tinyproxy does not start: run Scripts/bootstrap --with servers")
  }

  deinit {
    // A thread of the tests may block the other signals, which it then inherits.
    process.end(signal: SIGKILL)
  }
}
