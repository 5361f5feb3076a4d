#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// `coffer service`. No test here has a manager of systemd for its user, so none starts a service: the units are
  /// checked by systemd's own tool, and their command line is run.
  @Suite struct ServiceCommandTests {
    /// A machine whose vault has a path that needs quotes everywhere.
    private struct OddMachine {
      let machine: Machine
      let remote: TemporaryDirectory
      var home: String { machine.directory.path("my \"vaults\" $HOME 100% 'x'") }

      init() throws {
        machine = try Machine()
        remote = try TemporaryDirectory()
        machine.environment["COFFER_HOME"] = home
        machine.environment["XDG_CONFIG_HOME"] = machine.directory.path("config")
        // Where no manager listens.
        machine.environment["XDG_RUNTIME_DIR"] = machine.directory.path("runtime")
        try FileManager.default.createDirectory(
          atPath: machine.directory.path("runtime"), withIntermediateDirectories: true)
        try machine.makeVault()
        try Command.run("git", "init", "--quiet", "--bare", remote.path("vault.git"))
        try machine.coffer("remote", "set", remote.path("vault.git"))
      }

      var units: URL { URL(fileURLWithPath: machine.directory.path("config/systemd/user")) }

      /// Writes the units that `coffer service install --print` shows, and returns their paths.
      func writeUnits(of program: String = "coffer", _ options: String...) throws -> [String] {
        let text = try machine.succeed(program, ["service", "install", "--print"] + options)
        try FileManager.default.createDirectory(at: units, withIntermediateDirectories: true)
        var paths: [String] = []
        for part in ("\n" + text).components(separatedBy: "\n# coffer-sync").dropFirst() {
          let end = try #require(part.firstIndex(of: "\n"))
          let path = units.appending(path: "coffer-sync" + part[..<end]).path
          try Data(part[end...].dropFirst().utf8).write(to: URL(fileURLWithPath: path))
          paths.append(path)
        }
        return paths
      }

      /// Runs systemd's check of unit files; throws with its messages if it finds anything.
      func verify(_ paths: [String]) throws {
        let text = try UnitCheck.complaints(about: paths)
        guard text.isEmpty else { throw SpawnedProgram.Failure(description: text) }
      }

      /// Runs the command line of a unit.
      func start(_ unit: String) throws -> RunningProgram {
        let text = try String(contentsOfFile: unit, encoding: .utf8)
        let line = try #require(text.firstMatch(of: /\nExecStart=(.*)\n/)?.output.1)
        // What systemd expands; its quotes are those of a shell otherwise.
        let words = line.replacing("%%", with: "%").replacing("$$", with: "\\$")
        return try machine.start("/bin/sh", ["-c", "exec \(words)"], environment: ["COFFER_HOME": "/nowhere"])
      }

      var lastAttempt: String? {
        guard let data = FileManager.default.contents(atPath: "\(home)/vaults/default/sync-health"),
          let health = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { return nil }
        return health["lastAttempt"].map { "\($0)" }
      }
    }

    @Test func `systemd accepts the units of the program that goes on, and their command line syncs the vault`() throws
    {
      let scene = try OddMachine()
      let paths = try scene.writeUnits("--interval", "20m")
      #expect(paths.count == 1)
      try scene.verify(paths)
      let program = try scene.start(paths[0])
      try waitUntil("the vault is synced") {
        guard program.isRunning else { throw SpawnedProgram.Failure(description: "\(try program.wait())") }
        return scene.lastAttempt != nil
      }
      kill(program.processIdentifier, SIGTERM)
      let outcome = try program.wait()
      #expect(outcome.exitCode == 0 && outcome.errors.contains("a sync every 20 minutes"), "\(outcome)")
    }

    @Test func `systemd accepts the units with a timer, and their command line syncs the vault once`() throws {
      let scene = try OddMachine()
      let paths = try scene.writeUnits("--timer", "--interval", "2h")
      #expect(paths.map { URL(fileURLWithPath: $0).pathExtension } == ["service", "timer"])
      try scene.verify(paths)
      #expect(try String(contentsOfFile: paths[1], encoding: .utf8).contains("\nOnUnitInactiveSec=7200s\n"))
      // Nobody reads what it prints.
      #expect(try String(contentsOfFile: paths[0], encoding: .utf8).contains(" --leave-unread"))
      #expect(try scene.start(paths[0]).wait().exitCode == 0)
      #expect(scene.lastAttempt != nil)
    }

    @Test func `systemd finds the program in a folder whose name needs quotes`() throws {
      let scene = try OddMachine()
      let folder = scene.machine.directory.path("bin $HOME 100% x")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      for program in ["coffer", "coffer-sync"] { try Command.run("cp", Machine.path(of: program), folder) }
      // systemd's check looks for the program.
      let paths = try scene.writeUnits(of: "\(folder)/coffer")
      try scene.verify(paths)
      try FileManager.default.removeItem(atPath: "\(folder)/coffer-sync")
      #expect(throws: SpawnedProgram.Failure.self) { try scene.verify(paths) }
    }

    @Test func `A unit with a mistake does not pass the check of these tests`() throws {
      let scene = try OddMachine()
      let paths = try scene.writeUnits()
      let text = try String(contentsOfFile: paths[0], encoding: .utf8)
      for (right, wrong) in [("RestartSec=60", "RestartSec=soon"), ("UMask=", "UMusk="), ("%%", "%Z")] {
        try text.replacing(right, with: wrong).write(toFile: paths[0], atomically: true, encoding: .utf8)
        #expect(throws: SpawnedProgram.Failure.self) { try scene.verify(paths) }
      }
    }

    @Test func `Without a manager of systemd, install says what to do instead, and leaves no file`() throws {
      let scene = try OddMachine()
      let outcome = try scene.machine.run("coffer", "service", "install")
      #expect(outcome.exitCode == 1 && outcome.errors.contains("*/15 * * * * "), "\(outcome)")
      #expect(outcome.errors.contains("sync --vault '") && outcome.errors.contains("--watch &"), "\(outcome)")
      // Nor without its program.
      let missing = try scene.machine.run(
        "coffer", "service", "install", environment: ["PATH": scene.machine.directory.path("nothing")])
      #expect(missing.exitCode == 1 && missing.errors.contains("this system has no systemd; "), "\(missing)")
      #expect(!FileManager.default.fileExists(atPath: scene.units.path))
      #expect(try scene.machine.coffer("service", "status").contains("not installed (coffer service install)"))
    }

    @Test func `remove deletes the files of this vault's service only, and a second one finds nothing`() throws {
      let scene = try OddMachine()
      let other = scene.units.appending(path: "coffer-sync.service")
      let paths = try scene.writeUnits("--timer")
      try Data("[Service]\n".utf8).write(to: other)
      let status = try scene.machine.coffer("service", "status", "--json")
      let timer = URL(fileURLWithPath: paths[1]).lastPathComponent
      // `coffer service install` would put a program that goes on in its place.
      #expect(try scene.machine.coffer("service", "status").contains("(systemctl --user enable --now \(timer))"))
      #expect(status.contains("\"isInstalled\" : true") && status.contains("\"mode\" : \"timer\""), "\(status)")
      #expect(try scene.machine.coffer("service", "remove").split(separator: "\n").count == 2)
      #expect(paths.allSatisfy { !FileManager.default.fileExists(atPath: $0) })
      #expect(try scene.machine.coffer("service", "remove") == "The service was not installed.")
      #expect(FileManager.default.fileExists(atPath: other.path))
    }

    @Test func `A unit of somebody else stays, and so does a service if systemd refuses the next one`() throws {
      let scene = try OddMachine()
      try FileManager.default.createDirectory(
        atPath: scene.machine.directory.path("tools"), withIntermediateDirectories: false)
      // Keeps what it is asked, and refuses a service that goes on.
      _ = try scene.machine.directory.writeScript(
        "tools/systemctl",
        """
        echo "$*" >> '\(scene.machine.directory.path("asked"))'
        case "$*" in *" enable --now "*.service) exit 1;; esac
        """)
      let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
      scene.machine.environment["PATH"] = "\(scene.machine.directory.path("tools")):\(path)"
      let paths = try scene.writeUnits("--timer", "--interval", "1h")
      let texts = try paths.map { try String(contentsOfFile: $0, encoding: .utf8) }
      let refused = try scene.machine.run("coffer", "service", "install")
      #expect(refused.exitCode == 1 && refused.errors.contains("enable --now"), "\(refused)")
      #expect(try paths.map { try String(contentsOfFile: $0, encoding: .utf8) } == texts)
      let asked = try String(contentsOfFile: scene.machine.directory.path("asked"), encoding: .utf8)
      #expect(asked.split(separator: "\n").last?.hasSuffix(".timer") == true, "\(asked)")
      try scene.machine.coffer("service", "remove")

      try "[Service]\n".write(toFile: paths[0], atomically: true, encoding: .utf8)
      let foreign = try scene.machine.run("coffer", "service", "install", "--timer")
      #expect(foreign.exitCode == 2 && foreign.errors.contains("was written by somebody else"), "\(foreign)")
      #expect(try scene.machine.coffer("service", "remove") == "The service was not installed.")
      #expect(try String(contentsOfFile: paths[0], encoding: .utf8) == "[Service]\n")
    }

    @Test func `remove says so and deletes nothing if the service goes on and systemd does not answer`() throws {
      let scene = try OddMachine()
      let paths = try scene.writeUnits()
      let program = try scene.start(paths[0])
      try waitUntil("the vault is synced") { scene.lastAttempt != nil }
      let outcome = try scene.machine.run("coffer", "service", "remove")
      #expect(outcome.exitCode == 1 && outcome.errors.contains("kill \(program.processIdentifier)"), "\(outcome)")
      #expect(FileManager.default.fileExists(atPath: paths[0]))
      kill(program.processIdentifier, SIGTERM)
      #expect(try program.wait().exitCode == 0)
      try scene.machine.coffer("service", "remove")
      #expect(!FileManager.default.fileExists(atPath: paths[0]))
    }

    @Test func `The user's own vault has the units coffer-sync, and others have other names`() throws {
      let machine = try Machine()
      machine.environment["COFFER_HOME"] = nil
      func names(_ environment: [String: String]) throws -> [Substring] {
        let outcome = try machine.run("coffer", "service", "install", "--print", environment: environment)
        return outcome.text.split(separator: "\n").filter { $0.hasPrefix("# coffer-sync") }
      }
      #expect(try names([:]) == ["# coffer-sync.service"])
      let work = try names(["COFFER_VAULT": "work"])
      let home = try names(["COFFER_HOME": machine.directory.path("home")])
      #expect(Set(work + home + ["# coffer-sync.service"]).count == 3)
      #expect(try names(["COFFER_VAULT": "work"]) == work)
    }

    @Test func `A vault without a remote, and none, are refused`() throws {
      let machine = try Machine()
      #expect(try machine.run("coffer", "service", "install").errors.contains("there is no vault at"))
      try machine.makeVault()
      let outcome = try machine.run("coffer", "service", "install")
      #expect(outcome.exitCode == 2 && outcome.errors.contains("coffer remote set URL"), "\(outcome)")
    }
  }
#endif
