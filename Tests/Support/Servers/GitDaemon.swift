package import Foundation

#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#else
  private import Darwin
#endif

/// A real git daemon on a loopback port that serves the repositories of a folder, also for pushes.
package final class GitDaemon: GitServer {
  package let port: UInt16
  private let command: [String]
  private var process: SpawnedProgram

  /// Starts the server and returns when it accepts connections.
  ///
  /// - Parameters:
  ///   - folder: The folder.
  ///   - wrapper: A program with arguments that runs the server.
  /// - Throws: An error if it does not start.
  package init(_ folder: URL, wrapper: [String] = []) throws {
    // Not "git daemon", which starts this program as its child.
    let program = try Command.run("git", "--exec-path") + "/git-daemon"
    let command =
      wrapper + [
        program, "--listen=127.0.0.1", "--base-path=\(folder.path)", "--export-all", "--enable=receive-pack",
        "--reuseaddr", "--informative-errors",
      ]
    // Another program may take a port that was free a moment ago.
    for _ in 1...20 {
      let port = try ClosedPort().number
      if let process = try Self.start(command, port) {
        (self.port, self.command, self.process) = (port, command, process)
        return
      }
    }
    throw SpawnedProgram.Failure(description: "git daemon does not start")
  }

  /// Returns nil if another program has the port.
  private static func start(_ command: [String], _ port: UInt16) throws -> SpawnedProgram? {
    let process = try SpawnedProgram(command + ["--port=\(port)"])
    try waitUntil("git daemon listens") { !process.isRunning || (try? TCPConnection(port: port)) != nil }
    return process.isRunning ? process : nil
  }

  deinit { stop() }

  /// Returns the URL of a repository.
  package func url(_ name: String) -> String { "git://127.0.0.1:\(port)/\(name)" }

  /// Ends the server. Can be called repeatedly.
  package func stop() {
    // A thread of the tests may block the other signals, which it then inherits.
    process.end(signal: SIGKILL)
  }

  package func kill() { process.killWithDescendants() }

  package func restart() throws {
    try waitUntil("git daemon has its port again") {
      guard let process = try Self.start(command, port) else { return false }
      self.process = process
      return true
    }
  }
}
