private import Foundation

#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#else
  private import Darwin
#endif

/// A real sshd on a loopback port that accepts the current user with a key made for it.
package final class SSHServer {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  package let port: UInt16
  package let user: String
  /// A configuration for `ssh -F`: key, known host key, and nothing from the user's configuration.
  package let clientConfiguration: String
  /// Like `clientConfiguration`, but it expects another host key.
  package let clientConfigurationWithWrongHostKey: String
  /// Like `clientConfiguration`, with a key that the server does not know.
  package let clientConfigurationWithWrongKey: String
  private let directory: TemporaryDirectory
  private let process: SpawnedProgram

  /// Starts the server and returns when it accepts connections.
  package init() throws {
    guard let program = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"].first(where: FileManager.default.isExecutableFile)
    else { throw Failure(description: "sshd is not installed: run Scripts/bootstrap") }
    if getuid() == 0 {
      try FileManager.default.createDirectory(atPath: "/run/sshd", withIntermediateDirectories: true)
    }
    directory = try TemporaryDirectory()
    user = NSUserName()
    for name in ["host", "client", "other"] {
      try Command.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", directory.path(name))
    }
    let publicKey = { [directory] (name: String) throws -> String in
      try String(contentsOfFile: directory.path("\(name).pub"), encoding: .utf8)
    }
    try directory.write("authorized_keys", publicKey("client"))

    let port = try Self.freePort()
    self.port = port
    process = try Self.start(program, port, directory)

    let configuration = { [directory, user] (name: String, hostKey: String, clientKey: String) throws -> String in
      try directory.write("known_hosts.\(name)", "[127.0.0.1]:\(port) \(publicKey(hostKey))")
      return try directory.write(
        "ssh_config.\(name)",
        """
        Host coffer-test 127.0.0.1
          HostName 127.0.0.1
          Port \(port)
          User \(user)
          IdentityFile \(directory.path(clientKey))
          IdentitiesOnly yes
          IdentityAgent none
          UserKnownHostsFile \(directory.path("known_hosts.\(name)"))
          GlobalKnownHostsFile /dev/null
          StrictHostKeyChecking yes
          PasswordAuthentication no
          KbdInteractiveAuthentication no
          BatchMode yes

        """)
    }
    clientConfiguration = try configuration("right", "host", "client")
    clientConfigurationWithWrongHostKey = try configuration("host", "other", "client")
    clientConfigurationWithWrongKey = try configuration("key", "host", "other")
  }

  deinit { stop() }

  /// Ends the server. Can be called repeatedly.
  package func stop() {
    process.end()
  }

  private static func start(
    _ program: String, _ port: UInt16, _ directory: TemporaryDirectory
  ) throws -> SpawnedProgram {
    let configuration = try directory.write(
      "sshd_config",
      """
      ListenAddress 127.0.0.1
      Port \(port)
      HostKey \(directory.path("host"))
      PidFile none
      AuthorizedKeysFile \(directory.path("authorized_keys"))
      StrictModes no
      UsePAM no
      PermitRootLogin yes
      PubkeyAuthentication yes
      PasswordAuthentication no
      KbdInteractiveAuthentication no
      MaxStartups 100

      """)
    let log = directory.path("sshd.log")
    let process = try SpawnedProgram([program, "-D", "-f", configuration, "-E", log])
    let deadline = ContinuousClock.now + .seconds(20)
    while !canConnect(to: port) {
      guard process.isRunning, ContinuousClock.now < deadline else {
        let text = try String(contentsOfFile: log, encoding: .utf8)
        throw Failure(description: "sshd does not answer: \(text)")
      }
      usleep(10_000)
    }
    return process
  }

  /// Returns a port of 127.0.0.1 on which nobody listens now.
  package static func freePort() throws -> UInt16 {
    try withSocket { descriptor, address in
      var address = address
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = unsafe withUnsafeMutablePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          unsafe bind(descriptor, pointer, length) == 0 && getsockname(descriptor, pointer, &length) == 0
        }
      }
      guard isBound else { throw Failure(description: "no free port") }
      return UInt16(bigEndian: address.sin_port)
    }
  }

  private static func canConnect(to port: UInt16) -> Bool {
    do {
      return try withSocket { descriptor, address in
        var address = address
        address.sin_port = port.bigEndian
        return unsafe withUnsafePointer(to: address) { pointer in
          unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
            unsafe connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
          }
        }
      }
    } catch {
      return false
    }
  }

  private static func withSocket<Value>(_ body: (Int32, sockaddr_in) throws -> Value) throws -> Value {
    #if canImport(Darwin)
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    #endif
    guard descriptor >= 0 else { throw Failure(description: "no socket") }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return try body(descriptor, address)
  }
}
