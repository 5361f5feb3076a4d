package import Foundation

#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#else
  private import Darwin
#endif

/// A real git daemon on a loopback port that serves the repositories of a folder, also for pushes.
package final class GitDaemon {
  package let port: UInt16
  private let process: SpawnedProgram

  /// Starts the server and returns when it accepts connections.
  package init(_ folder: URL) throws {
    // Not "git daemon", which starts this program as its child.
    let program = try Command.run("git", "--exec-path") + "/git-daemon"
    // Another program may take a port that was free a moment ago.
    for _ in 1...20 {
      let port = try ClosedPort().number
      let process = try SpawnedProgram([
        program, "--listen=127.0.0.1", "--port=\(port)", "--base-path=\(folder.path)", "--export-all",
        "--enable=receive-pack", "--reuseaddr", "--informative-errors", folder.path,
      ])
      try waitUntil("git daemon listens") { !process.isRunning || (try? TCPConnection(port: port)) != nil }
      if process.isRunning {
        (self.port, self.process) = (port, process)
        return
      }
    }
    throw SpawnedProgram.Failure(description: "git daemon does not start")
  }

  deinit { stop() }

  /// Returns the URL of a repository.
  package func url(_ name: String) -> String { "git://127.0.0.1:\(port)/\(name)" }

  /// Ends the server. Can be called repeatedly.
  package func stop() {
    // A thread of the tests may block the other signals, which it then inherits.
    process.end(signal: SIGKILL)
  }
}
