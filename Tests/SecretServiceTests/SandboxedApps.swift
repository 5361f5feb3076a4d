#if os(Linux)
  import CofferTestSupport
  import Foundation

  /// A session with the broker, and apps in sandboxes as Flatpak makes them, whose plists are deployed for all users.
  final class SandboxedApps {
    let desktop: IdentityDesktop
    var machine: Machine { desktop.machine }
    /// What `/var/lib/flatpak` is.
    let flatpak: TemporaryDirectory
    /// What the sandboxes see: the library, and the program over it.
    let tools: TemporaryDirectory
    var program: String { tools.path("sandboxed_app") }
    let teamKey: String

    static let isAvailable = geteuid() == 0 && IdentityDesktop.hasSandboxes
    static let hasFlatpak = isAvailable && FileManager.default.isExecutableFile(atPath: "/usr/bin/flatpak")

    /// `extra` is added to the environment of the broker.
    init(isInstalled: Bool = true, environment extra: [String: String] = [:]) throws {
      flatpak = try TemporaryDirectory()
      tools = try TemporaryDirectory()
      let environment = ["FLATPAK_SYSTEM_DIR": flatpak.url.path]
      desktop = try IdentityDesktop(environment: environment.merging(extra) { $1 }, isInstalled: false)
      desktop.machine.environment.merge(environment) { $1 }
      teamKey = desktop.machine.directory.path("team-key")
      try desktop.machine.coffer("team", "create", teamKey)
      let root = DocumentationPage.root
      try Command.run("cp", Machine.path(of: "libCofferLibrary.so"), tools.path("libcoffer.so.0"))
      try FileManager.default.createSymbolicLink(
        atPath: tools.path("libcoffer.so"), withDestinationPath: "libcoffer.so.0")
      try compile("Tests/SecretServiceTests/Clients/sandboxed_app.c", as: "sandboxed_app")
      try Command.run(
        "cp", root.appending(path: "Tests/SecretServiceTests/Clients/hostile_app.py").path, tools.url.path)
      try Command.run("chmod", "-R", "a+rX", tools.url.path, flatpak.url.path)
      if isInstalled { try machine.coffer("secret-service", "install", "--apps") }
    }

    /// Compiles a program of this checkout, and returns its path.
    @discardableResult
    func compile(_ source: String, as name: String) throws -> String {
      let root = DocumentationPage.root
      try Command.run(
        "clang", "-Wall", "-Werror", "-D_GNU_SOURCE", root.appending(path: source).path, "-I",
        root.appending(path: "Sources/ForApps/CofferLibrary").path, "-L", tools.url.path, "-lcoffer",
        "-Wl,-rpath,\(tools.url.path):/app/lib", "-lpthread", "-o", tools.path(name))
      return tools.path(name)
    }

    /// Deploys an app as `flatpak install --system` does, with a plist that a vendor has signed. Returns the folder of
    /// its files.
    @discardableResult
    func deploy(_ identifier: String, plist: String, teamKey: String? = nil, owner: UInt32 = 0) throws -> String {
      let app = flatpak.url.appending(path: "app/\(identifier)")
      let files = app.appending(path: "x86_64/stable/0123abcd/files")
      let folder = files.appending(path: "share/coffer/apps")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let path = folder.appending(path: "\(identifier).entitlements").path
      try Command.run("cp", plist, path)
      if let teamKey { try machine.coffer("app", "sign", path, "--team-key", teamKey) }
      try Command.run("ln", "-sfn", "x86_64/stable", app.appending(path: "current").path)
      try Command.run("ln", "-sfn", "0123abcd", app.appending(path: "x86_64/stable/active").path)
      try Command.run("chmod", "-R", "u=rwX,go=rX", flatpak.url.path)
      if owner != 0 { try Command.run("chown", "-R", "\(owner)", app.path) }
      return files.path
    }

    /// Deploys an app of the demo.
    @discardableResult
    func deploy(example: String, as identifier: String) throws -> String {
      try deploy(identifier, plist: Machine.entitlements(of: example), teamKey: teamKey)
    }

    /// The words that run a program in the sandbox of an app. `files` is where its file says that it is deployed.
    /// `bindings` are further folders that it sees.
    func sandbox(
      _ identifier: String, files: String? = nil, bindings: Set<String> = []
    ) throws -> [String] {
      let files = files ?? "\(flatpak.url.path)/app/\(identifier)/x86_64/stable/0123abcd/files"
      let info = machine.directory.path("info-\(UUID().uuidString)")
      let text = """
        [Application]
        name=\(identifier)
        runtime=runtime/org.example.Platform/x86_64/1

        [Instance]
        instance-id=1
        app-path=\(files)

        [Session Bus Policy]
        org.coffer.Vault1=talk

        """
      try Data(text.utf8).write(to: URL(fileURLWithPath: info))
      let bus = machine.directory.path("bus")
      return [
        "/usr/bin/bwrap", "--ro-bind", "/usr", "/usr", "--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64",
        "/lib64", "--symlink", "usr/bin", "/bin", "--dev", "/dev", "--proc", "/proc", "--ro-bind", info,
        "/.flatpak-info", "--ro-bind",
        tools.url.path, tools.url.path, "--bind", bus, bus,
      ] + bindings.flatMap { ["--ro-bind", $0, $0] } + ["--"]
    }

    /// The words that run a Swift program of the tests as an app in a sandbox, with the libraries that it links.
    private func swift(_ identifier: String, _ words: [String]) throws -> [String] {
      let path = Machine.path(of: words[0])
      let folders = try Command.run("ldd", path).matches(of: /\/\S+(?=\/[^\/\s]+\.so)/).map { String($0.output) }
      let bindings = Set(folders + [Machine.programs.path]).filter { !$0.hasPrefix("/lib") && !$0.hasPrefix("/usr/") }
      return try sandbox(identifier, bindings: bindings) + [path] + words.dropFirst()
    }

    func runSwift(_ identifier: String, _ words: String...) throws -> Machine.Outcome {
      try desktop.run(swift(identifier, words))
    }

    func startSwift(_ identifier: String, _ words: String...) throws -> RunningProgram {
      let command = try swift(identifier, words)
      return try machine.start(command[0], Array(command.dropFirst()))
    }

    /// Runs the program over the library as an app in a sandbox.
    func run(_ identifier: String, _ words: String..., files: String? = nil) throws -> Machine.Outcome {
      try desktop.run(sandbox(identifier, files: files) + [program, ""] + words)
    }

    /// Starts it without waiting.
    func start(_ identifier: String, _ words: String...) throws -> RunningProgram {
      let command = try sandbox(identifier) + [program, ""] + words
      return try machine.start(command[0], Array(command.dropFirst()))
    }

    /// The words that run attacks of `hostile_app.py` in the sandbox of an app.
    func hostile(_ identifier: String, _ attacks: [String]) throws -> [String] {
      try sandbox(identifier) + ["/usr/bin/python3", "-B", tools.path("hostile_app.py")] + attacks
    }

    /// The process of the broker; nil if none runs.
    func broker() throws -> Int32? {
      let answer = try desktop.run([
        "/usr/bin/dbus-send", "--print-reply=literal", "--dest=org.freedesktop.DBus", "/org/freedesktop/DBus",
        "org.freedesktop.DBus.GetConnectionUnixProcessID", "string:org.coffer.Vault1",
      ])
      return answer.text.split(separator: " ").last.flatMap { Int32($0) }
    }
  }
#endif
