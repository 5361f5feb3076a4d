private import Foundation

#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#else
  private import Darwin
#endif

/// A real sshd on a loopback port that accepts the current user with a key made for it.
package final class SSHServer: GitServer {
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
  /// Like `clientConfiguration`, without a host key.
  package let clientConfigurationWithoutHostKey: String
  private let directory: TemporaryDirectory
  private let command: [String]
  private var process: SpawnedProgram

  /// Starts the server and returns when it accepts connections.
  ///
  /// - Parameters:
  ///   - keyType: The type of the host key and of the client's key, as `ssh-keygen` names it.
  ///   - wrapper: A program that runs instead of each command, which is in its variable `SSH_ORIGINAL_COMMAND`; nil for
  ///     none.
  /// - Throws: An error if sshd is missing or does not start.
  package init(keyType: String = "ed25519", wrapper: String? = nil) throws {
    guard let program = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"].first(where: FileManager.default.isExecutableFile)
    else { throw Failure(description: "sshd is not installed: run Scripts/bootstrap") }
    if getuid() == 0 {
      try FileManager.default.createDirectory(atPath: "/run/sshd", withIntermediateDirectories: true)
    }
    directory = try TemporaryDirectory()
    user = NSUserName()
    for name in ["host", "client", "other"] {
      try Command.run("ssh-keygen", "-q", "-t", keyType, "-N", "", "-f", directory.path(name))
    }
    let publicKey = { [directory] (name: String) throws -> String in
      try String(contentsOfFile: directory.path("\(name).pub"), encoding: .utf8)
    }
    try directory.write("authorized_keys", publicKey("client"))

    (process, command, port) = try Self.start(program, directory, wrapper)

    let configuration = {
      [directory, user, port] (name: String, hostKey: String?, clientKey: String) throws -> String in
      try directory.write("known_hosts.\(name)", hostKey.map { "[127.0.0.1]:\(port) \(try publicKey($0))" } ?? "")
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
    clientConfigurationWithoutHostKey = try configuration("none", nil, "client")
  }

  deinit { stop() }

  /// Lets the owner of another key log in, whose public key is in a file.
  package func authorize(_ publicKey: String) throws {
    let keys = try ["\(directory.path("authorized_keys"))", publicKey].map {
      try String(contentsOfFile: $0, encoding: .utf8)
    }
    try directory.write("authorized_keys", keys.joined())
  }

  /// Ends the server. Can be called repeatedly.
  package func stop() {
    process.end()
  }

  /// Starts the server at a port that is free, and waits until it answers.
  private static func start(
    _ program: String, _ directory: TemporaryDirectory, _ wrapper: String?
  ) throws -> (SpawnedProgram, command: [String], port: UInt16) {
    // Another program may take a port that was free a moment ago.
    for _ in 1...20 {
      let port = try ClosedPort().number
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
        # A shell that sshd starts reads the user's .bashrc, which has no place in a test, unless it is an inner one.
        SetEnv SHLVL=1
        \(wrapper.map { "ForceCommand \($0)" } ?? "")

        """)
      let command = [program, "-D", "-f", configuration, "-E", directory.path("sshd.log")]
      if let process = try start(command, directory) { return (process, command, port) }
    }
    throw Failure(description: "sshd finds no free port")
  }

  /// Returns nil if another program has the port.
  private static func start(_ command: [String], _ directory: TemporaryDirectory) throws -> SpawnedProgram? {
    let log = directory.path("sshd.log")
    try? FileManager.default.removeItem(atPath: log)
    let process = try SpawnedProgram(command)
    // sshd writes this when it has the port, which another program cannot answer at then.
    try waitUntil("sshd listens") { !process.isRunning || text(log).contains("Server listening on 127.0.0.1") }
    if process.isRunning { return process }
    guard text(log).contains("Address already in use") else {
      throw Failure(description: "sshd does not start: \(text(log))")
    }
    return nil
  }

  package func kill() { process.killWithDescendants() }

  package func restart() throws {
    try waitUntil("sshd has its port again") {
      guard let process = try Self.start(command, directory) else { return false }
      self.process = process
      return true
    }
  }

  private static func text(_ path: String) -> String {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
