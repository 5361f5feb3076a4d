#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// What `coffer doctor` advises for the Secret Service is carried out, and ends what it has found.
  @Suite struct SecretServiceAdviceTests {
    private let desktop: IdentityDesktop

    init() throws {
      desktop = try IdentityDesktop(isInstalled: false)
      try desktop.machine.makeVault()
      try desktop.machine.coffer("secret-service", "install")
    }

    @Test func `A missing file is written again by the advised command`() throws {
      try FileManager.default.removeItem(
        atPath: desktop.machine.directory.path("data/dbus-1/services/org.freedesktop.secrets.service"))
      try AdviceScene(desktop.machine).carryOut("secretServiceFiles")
    }

    @Test func `A repair that fails is reported with its error, beside those that are made`() throws {
      let services = desktop.machine.directory.path("data/dbus-1/services")
      try "[D-BUS Service]\n".write(
        toFile: "\(services)/org.freedesktop.impl.portal.desktop.coffer.service", atomically: true, encoding: .utf8)
      let admin = desktop.machine.vault.appending(path: "admin").path
      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: admin)
      let outcome = try desktop.machine.run("coffer", "doctor", "--fix")
      #expect(outcome.exitCode == 1 && outcome.text.contains("Fixed: \(admin)"), "\(outcome)")
      #expect(outcome.text.contains("It was not fixed: ") && outcome.text.contains("by somebody else"), "\(outcome)")
    }

    @Test func `A file that makes the bus start another program is removed by the advised command`() throws {
      let folder = desktop.machine.directory.path("runtime/dbus-1/services")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try "[D-BUS Service]\nName=org.freedesktop.secrets\nExec=/usr/bin/other\n".write(
        toFile: "\(folder)/org.freedesktop.secrets.service", atomically: true, encoding: .utf8)
      try AdviceScene(desktop.machine).carryOut("secretServiceActivation")
    }

    @Test func `Another program that answers is replaced by the advised commands, and its passwords are kept`() throws {
      let keyring = try desktop.machine.start(
        "/usr/bin/gnome-keyring-daemon", ["--foreground", "--unlock", "--components=secrets"],
        input: Data("keyring".utf8))
      try waitUntil("gnome-keyring answers") {
        let status = try? desktop.machine.coffer("secret-service", "status")
        return status?.contains("gnome-keyring, process") == true || !keyring.isRunning
      }
      let stored = try desktop.run(
        ["/usr/bin/secret-tool", "store", "--label=GitHub", "service", "github.com"], input: "s3cret")
      #expect(stored.exitCode == 0, "\(stored)")
      // No test starts systemd, which would start the keyring again.
      _ = try desktop.machine.directory.writeScript("systemctl", "exit 0")
      desktop.machine.environment["PATH"] = "\(desktop.machine.directory.path):/usr/bin:/bin"
      try AdviceScene(desktop.machine).carryOut("secretServiceOther")
      #expect(try keyring.wait().exitCode != 1)
      #expect(try desktop.run(["/usr/bin/secret-tool", "lookup", "service", "github.com"]).text == "s3cret")
    }
  }
#endif
