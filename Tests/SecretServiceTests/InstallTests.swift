#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// `coffer secret-service` on a machine with a session bus.
  @Suite struct InstallTests {
    private struct Status: Decodable {
      struct Owner: Decodable {
        let process: Int32
        let program: String
        let isCoffer: Bool
      }

      let isInstalled: Bool
      let files: [String]
      let hasBus: Bool
      let owner: Owner?
      let activatesCoffer: Bool?
      let switching: [String]
      let switchingBack: [String]
    }

    private func status(_ desktop: IdentityDesktop) throws -> Status {
      try JSONDecoder().decode(
        Status.self, from: Data(desktop.machine.coffer("secret-service", "status", "--json").utf8))
    }

    /// The files in the user's folders.
    private func files(_ desktop: IdentityDesktop) throws -> [String] {
      try ["data", "config"].flatMap { name in
        try FileManager.default.subpathsOfDirectory(atPath: desktop.machine.directory.path(name)).map {
          "\(name)/\($0)"
        }
      }.filter { !$0.hasPrefix("data/coffer") }
    }

    @Test func `The bus starts the installed service, and its removal leaves nothing`() throws {
      let desktop = try IdentityDesktop(isInstalled: false)
      #expect(try !status(desktop).isInstalled && status(desktop).hasBus)
      try desktop.machine.coffer("secret-service", "install")
      let installed = try status(desktop)
      #expect(installed.isInstalled && installed.files.count == 5 && installed.owner == nil)
      #expect(installed.activatesCoffer == true)
      #expect(try desktop.collection() == "coffer.desktop")
      let owner = try #require(try status(desktop).owner)
      #expect(owner.isCoffer && owner.program == "coffer-secret-s")
      // Again: an update.
      try desktop.machine.coffer("secret-service", "install")
      try desktop.machine.coffer("secret-service", "remove")
      #expect(waitForEnd(ofProcess: owner.process))
      #expect(try files(desktop).allSatisfy { $0 == "config/systemd" || $0 == "config/systemd/user" })
      #expect(try desktop.machine.coffer("secret-service", "remove") == "The Secret Service was not installed.")
      #expect(try desktop.collection() != "coffer.desktop")
    }

    @Test func `Without its program, status and doctor say so, and remove deletes the files`() throws {
      let desktop = try IdentityDesktop()
      let machine = desktop.machine
      try machine.makeVault()
      let folder = machine.directory.path("programs")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      for program in ["coffer", "coffer-sync"] { try Command.run("cp", Machine.path(of: program), folder) }
      let coffer = "\(folder)/coffer"
      let status = try machine.succeed(coffer, ["secret-service", "status"])
      #expect(status.contains("coffer-secret-service is missing"), "\(status)")
      #expect(status.contains("\n    coffer secret-service remove\n"), "\(status)")
      let doctor = try machine.run(coffer, "doctor")
      #expect(doctor.exitCode == 1 && doctor.text.contains("with: coffer secret-service remove"), "\(doctor)")
      try machine.succeed(coffer, ["secret-service", "remove"])
      #expect(try files(desktop).allSatisfy { $0 == "config/systemd" || $0 == "config/systemd/user" })
      let absent = try machine.run(coffer, "secret-service", "status")
      #expect(absent.exitCode == 1 && absent.errors.contains("install the package coffer-secret-service"), "\(absent)")
    }

    @Test func `systemd accepts the unit, with a vault in another place and with questions`() throws {
      let desktop = try IdentityDesktop(isInstalled: false)
      desktop.machine.environment["COFFER_HOME"] = desktop.machine.directory.path("my \"vaults\" 100% $HOME")
      try desktop.machine.coffer("secret-service", "install", "--ask")
      let unit = desktop.machine.directory.path("config/systemd/user/coffer-secret-service.service")
      #expect(try UnitCheck.complaints(about: [unit]).isEmpty)
      #expect(try String(contentsOfFile: unit, encoding: .utf8).contains("coffer-secret-service --ask\n"))
      // Without questions, which nobody answers here.
      try desktop.machine.coffer("secret-service", "install")
      // The bus passes on the variables.
      desktop.machine.environment["COFFER_HOME"] = nil
      #expect(try desktop.collection() == "coffer.desktop")
    }

    @Test func `It does not fight with another Secret Service, and says how to switch`() throws {
      let desktop = try IdentityDesktop(isInstalled: false)
      let other = try desktop.machine.start(
        "/usr/bin/python3",
        [
          "-c",
          """
          import dbus, dbus.mainloop.glib, sys
          bus = dbus.SessionBus()
          bus.request_name("org.freedesktop.secrets")
          open(sys.argv[1], "w").close()
          import threading; threading.Event().wait()
          """, desktop.machine.directory.path("ready"),
        ])
      defer { other.kill() }
      try waitUntil("the other program has the name") {
        FileManager.default.fileExists(atPath: desktop.machine.directory.path("ready")) || !other.isRunning
      }
      let outcome = try desktop.machine.run("coffer", "secret-service", "install")
      #expect(
        outcome.exitCode == 8 && outcome.errors.contains("python3, process \(other.processIdentifier)"), "\(outcome)")
      #expect(outcome.errors.contains("coffer import secret-service") && outcome.errors.contains("kill "), "\(outcome)")
      #expect(try files(desktop).isEmpty)
      let found = try status(desktop)
      #expect(found.owner?.isCoffer == false && found.switching.first == "coffer import secret-service")
      // The broker is not in its way.
      let service = "data/dbus-1/services/org.coffer.Vault1.service"
      try desktop.machine.coffer("secret-service", "install", "--apps")
      #expect(try files(desktop).contains(service))
      #expect(try !status(desktop).isInstalled)
      try desktop.machine.coffer("secret-service", "remove")
      #expect(try !files(desktop).contains(service))
    }

    @Test func `A file of somebody else stays, and the doctor finds what is missing and writes it again`() throws {
      let desktop = try IdentityDesktop(isInstalled: false)
      try desktop.machine.makeVault()
      let file = desktop.machine.directory.path("data/dbus-1/services/org.freedesktop.secrets.service")
      try FileManager.default.createDirectory(
        atPath: URL(fileURLWithPath: file).deletingLastPathComponent().path, withIntermediateDirectories: true)
      try "[D-BUS Service]\n".write(toFile: file, atomically: true, encoding: .utf8)
      let outcome = try desktop.machine.run("coffer", "secret-service", "install")
      #expect(outcome.exitCode == 2 && outcome.errors.contains("was written by somebody else"), "\(outcome)")
      try FileManager.default.removeItem(atPath: file)
      try desktop.machine.coffer("secret-service", "install")
      #expect(!(try desktop.machine.coffer("doctor")).contains("Secret Service"))
      try FileManager.default.removeItem(atPath: file)
      let found = try desktop.machine.run("coffer", "doctor")
      #expect(found.exitCode == 1 && found.text.contains("A file of its installation is missing"), "\(found)")
      #expect(try desktop.machine.run("coffer", "doctor", "--fix").exitCode == 0)
      #expect(FileManager.default.fileExists(atPath: file))
    }
  }
#endif
