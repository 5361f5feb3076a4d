internal import Foundation

#if canImport(Glibc)
  private import Glibc
#elseif canImport(Musl)
  private import Musl
#else
  private import Darwin
#endif

/// A machine with users, groups and installed programs of its own, for tests of what root does: a mount namespace in
/// which `/etc`, `/home`, `/usr/local` and `/var/lib` are overlays that the test may change. Needs root on Linux.
package final class PrivateSystem {
  package let machine: Machine
  private let holder: SpawnedProgram

  /// Whether this process may make such a system. Containers without the right to mount may not.
  package static let isAvailable: Bool = {
    guard geteuid() == 0, let scratch = try? TemporaryDirectory() else { return false }
    return (try? Command.run("unshare", "--mount", "bash", "-c", mounting, "bash", scratch.path)) != nil
  }()

  private static let mounting = """
    set -e
    for folder in etc var/lib home usr/local; do
      mkdir -p "$1/upper/$folder" "$1/work/$folder"
      mount -t overlay overlay -o "lowerdir=/$folder,upperdir=$1/upper/$folder,workdir=$1/work/$folder" "/$folder"
    done
    """

  /// Creates a system in which `coffer` and the example apps are installed in `/usr/local`, for all users.
  package init() throws {
    machine = try Machine()
    let layers = machine.directory.path("layers")
    let ready = machine.directory.path("ready")
    holder = try SpawnedProgram(
      [
        "unshare", "--mount", "--propagation", "private", "bash", "-c",
        Self.mounting + """

          mkdir -p /usr/local/bin /usr/local/apps
          touch "$2"
          # Ends with the tests, also if nobody ends it.
          exec tail --pid="$3" -f /dev/null
          """,
        "bash", layers, ready, "\(ProcessInfo.processInfo.processIdentifier)",
      ])
    try waitUntil("the system is there") { FileManager.default.fileExists(atPath: ready) || !holder.isRunning }
    machine.wrapper = ["nsenter", "--target", "\(holder.identifier)", "--mount", "--"]
    for (program, folder) in [("coffer", "bin"), ("coffer-sync", "bin"), ("PhotoPro", "apps"), ("PhotoFree", "apps")] {
      try succeed(["cp", Machine.path(of: program), "/usr/local/\(folder)/\(program)"])
    }
  }

  deinit { holder.end(signal: 9) }

  /// Adds a user with a home folder.
  package func addUser(_ name: String) throws {
    try succeed(["useradd", "--create-home", "--user-group", "--shell", "/bin/bash", name])
  }

  /// Runs a command as root, or as a user with the user's own environment. `variables` are added.
  @discardableResult
  package func run(
    _ command: [String], as user: String? = nil, input: String = "", environment variables: [String: String] = [:]
  ) throws -> Machine.Outcome {
    // A login of the user, whatever started the tests.
    let words = variables.map { "\($0)=\($1)" }
    let asUser = user.map {
      ["setpriv", "--reuid", $0, "--regid", $0, "--init-groups", "--reset-env", "env", "--chdir=/home/\($0)"] + words
    }
    let wrapper = (asUser ?? ["env", "--chdir=/", "-u", "COFFER_HOME"] + words) + command
    return try machine.start("/usr/bin/env", wrapper, input: Data(input.utf8)).wait()
  }

  /// As ``run(_:as:input:environment:)``, and returns the output; throws unless the command exits with 0.
  @discardableResult
  package func succeed(
    _ command: [String], as user: String? = nil, input: String = "", environment variables: [String: String] = [:]
  ) throws -> String {
    let outcome = try run(command, as: user, input: input, environment: variables)
    guard outcome.exitCode == 0 else {
      throw SpawnedProgram.Failure(description: "\(command.joined(separator: " ")): \(outcome)")
    }
    return outcome.text
  }

  /// Runs `coffer` with the options of `sudo coffer`, as a user who may do that.
  @discardableResult
  package func sudo(_ user: String, _ arguments: String...) throws -> Machine.Outcome {
    let id = try succeed(["id", "-u", user])
    return try run(["/usr/local/bin/coffer"] + arguments, environment: ["SUDO_UID": id])
  }

  /// The folders that are overlays. Any other folder is that of this machine.
  private static let overlays = ["/etc/", "/var/lib/", "/home/", "/usr/local/"]

  /// Writes a file of root or of a user, in a folder that this system has for itself.
  package func write(_ text: String, to path: String, as user: String? = nil, isExecutable: Bool = false) throws {
    guard Self.overlays.contains(where: path.hasPrefix), !path.contains("/../") else {
      throw SpawnedProgram.Failure(description: "\(path) would be written on this machine itself")
    }
    // A user's own files are private: a passphrase must be.
    let umask = user == nil || isExecutable ? "" : "umask 077 && "
    try succeed(
      ["sh", "-c", "\(umask)cat > '\(path)'\(isExecutable ? " && chmod 755 '\(path)'" : "")"], as: user, input: text)
  }
}
