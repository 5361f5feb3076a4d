#if os(Linux)
  import CofferTestSupport
  import Foundation

  /// A machine with a session bus of its own, on which `coffer secret-service install` has made Coffer the Secret
  /// Service: the bus starts it at the first call.
  final class IdentityDesktop {
    let machine: Machine
    private let bus: RunningProgram

    /// Whether a process can be put into a sandbox as Flatpak does it.
    static let hasSandboxes = FileManager.default.isExecutableFile(atPath: "/usr/bin/bwrap")

    /// Starts a bus. `environment` is that of the bus, and so of the service. The words of `wrapper` run all programs
    /// as the user who owns the machine's files.
    init(
      environment: [String: String] = [:], isInstalled: Bool = true, wrapper: [String] = [], owner: String? = nil
    ) throws {
      machine = try Machine()
      machine.wrapper = wrapper
      let folder = machine.directory
      for name in ["data", "config", "runtime"] {
        try FileManager.default.createDirectory(
          atPath: folder.path(name), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      }
      if let owner { try Command.run("chown", "-R", owner, folder.path) }
      machine.environment.merge([
        "XDG_DATA_HOME": folder.path("data"), "XDG_CONFIG_HOME": folder.path("config"),
        "XDG_RUNTIME_DIR": folder.path("runtime"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.path("bus"))",
      ]) { $1 }
      bus = try machine.start(
        "/usr/bin/dbus-daemon",
        ["--session", "--nofork", "--nopidfile", "--address=unix:path=\(folder.path("bus"))"], environment: environment)
      let socket = folder.path("bus")
      try waitUntil("the bus listens") { [bus] in
        FileManager.default.fileExists(atPath: socket) || !bus.isRunning
      }
      if isInstalled { try machine.coffer("secret-service", "install") }
    }

    deinit {
      // The service ends with its bus.
      bus.kill()
    }

    /// Runs a program of the desktop.
    func run(_ command: [String], input: String = "", environment: [String: String] = [:]) throws -> Machine.Outcome {
      try machine.start(command[0], Array(command.dropFirst()), input: Data(input.utf8), environment: environment)
        .wait()
    }

    /// The command with which a program asks which collection is its default one. libdbus does not tell a setgid
    /// program where the session bus is.
    private func question(_ program: String) -> [String] {
      [
        program, "--bus=\(machine.environment["DBUS_SESSION_BUS_ADDRESS"] ?? "")", "--print-reply=literal",
        "--dest=org.freedesktop.secrets", "/org/freedesktop/secrets",
        "org.freedesktop.Secret.Service.ReadAlias", "string:default",
      ]
    }

    /// Asks as a program, after the words of a wrapper, which collection is its default one. Returns the app's bundle
    /// identifier, or what is printed instead.
    func collection(
      _ wrapper: [String] = [], as program: String = "/usr/bin/dbus-send", environment: [String: String] = [:]
    ) throws -> String {
      let outcome = try run(wrapper + question(program), environment: environment)
      guard outcome.exitCode == 0 else { return outcome.errors }
      let name = outcome.text.split(separator: "/").last.map(String.init) ?? ""
      // Other characters than letters and digits are escaped in a path.
      return name.trimmingCharacters(in: .whitespaces).replacing("_2e", with: ".").replacing("_2d", with: "-")
    }

    /// The words that run a program in a sandbox with a file `.flatpak-info`.
    func sandbox(_ application: String) throws -> [String] {
      let root = machine.directory.path("root-\(application)")
      for name in ["usr", "dev", "proc", "tmp", machine.directory.path] {
        try FileManager.default.createDirectory(atPath: "\(root)/\(name)", withIntermediateDirectories: true)
      }
      for name in ["lib", "lib64", "bin"] {
        try FileManager.default.createSymbolicLink(atPath: "\(root)/\(name)", withDestinationPath: "usr/\(name)")
      }
      try Data("[Application]\nname=\(application)\n".utf8).write(to: URL(fileURLWithPath: "\(root)/.flatpak-info"))
      return [
        "/usr/bin/bwrap", "--ro-bind", root, "/", "--ro-bind", "/usr", "/usr", "--dev-bind", "/dev", "/dev",
        "--bind", machine.directory.path, machine.directory.path, "--",
      ]
    }
  }
#endif
