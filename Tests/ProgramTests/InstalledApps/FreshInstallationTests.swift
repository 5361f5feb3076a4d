#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// What the page InstallingApps says of a package: install it, run one command with sudo, and start the app.
  @Suite(.enabled(if: PrivateSystem.isAvailable, "only root can install apps, in a namespace with mounts of its own"))
  struct FreshInstallationTests {
    private let system: PrivateSystem
    private let bundleID = InstalledScene.bundleID
    private let vault = ".local/share/coffer/vaults/default"

    init() throws {
      system = try PrivateSystem()
      try system.addUser("alice")
      try AppPackage.install("1", withPlist: true, in: system)
    }

    /// Runs `sudo coffer app install` as alice, with a terminal of root.
    private func terminal(_ arguments: String...) throws -> PseudoTerminal {
      let id = try system.succeed(["id", "-u", "alice"])
      let wrapper = system.machine.wrapper
      return try PseudoTerminal(
        system.machine, program: wrapper[0],
        wrapper.dropFirst() + [
          "env", "-u", "COFFER_HOME", "COFFER_TEST_PASSPHRASE_COST=floor", "SUDO_UID=\(id)", "/usr/local/bin/coffer",
          "app", "install", bundleID,
        ] + arguments)
    }

    /// Installs the app for alice, without a terminal.
    private func install(_ arguments: String...) throws -> Machine.Outcome {
      try system.run(
        ["/usr/local/bin/coffer", "app", "install", bundleID] + arguments,
        environment: [
          "SUDO_UID": try system.succeed(["id", "-u", "alice"]), "COFFER_TEST_PASSPHRASE_COST": "floor",
        ])
    }

    private func app(_ arguments: String...) throws -> Machine.Outcome {
      try system.run([AppPackage.program] + arguments, as: "alice")
    }

    @Test func `In an empty home, the app names the one command, which asks one question and sets everything up`()
      throws
    {
      expectFailure(try app(), 1, "this user has no credential of it", "sudo coffer app install \(bundleID)")
      #expect(try system.run(["ls", "/home/alice/.local"]).exitCode != 0)
      let terminal = try terminal()
      try terminal.await("New passphrase for a vault of alice: ")
      #expect(!terminal.echoes)
      terminal.type("right horse\n")
      try terminal.await("Once more: ")
      terminal.type("right horse\n")
      try terminal.await("has a credential of alice that only this program can read.")
      #expect(terminal.wait() == 0)
      #expect(!terminal.screen.contains("Passphrase of"), "\(terminal.screen)")
      let bought = try app("buy")
      #expect(bought.exitCode == 0, "\(bought)")
      #expect(try app().text == "Photo Pro: all filters")
      // No program of alice has had the keys, so that nothing is revoked and nothing has to be replaced.
      #expect(try system.succeed(["find", "/home/alice/\(vault)", "-name", "credential"]) == "")
      let coffer = "/usr/local/bin/coffer"
      #expect(try !system.succeed([coffer, "log"], as: "alice").contains("revoke"))
      #expect(try system.succeed([coffer, "app", "list"], as: "alice").contains("by install"))
      try system.write("right horse", to: "/home/alice/passphrase", as: "alice")
      let shown = try system.run(
        [coffer, "vault-key", "show", "--vault-key-file", "key", "--passphrase-file", "passphrase"], as: "alice",
        environment: ["COFFER_TEST_PASSPHRASE_COST": "floor"])
      #expect(shown.exitCode == 0, "\(shown)")
    }

    @Test func `An existing vault gets the app with its own passphrase, and one without a passphrase stays as it is`()
      throws
    {
      try system.write("right", to: "/home/alice/passphrase", as: "alice")
      let variables = ["COFFER_TEST_PASSPHRASE_COST": "floor"]
      func coffer(_ words: String) throws {
        try system.succeed(["sh", "-c", "coffer \(words)"], as: "alice", environment: variables)
      }
      try coffer("init --name laptop --no-passphrase --vault-key-file key")
      let open = try install()
      #expect(open.exitCode == 1 && open.errors.contains("coffer passphrase set"), "\(open)")
      try coffer("passphrase set --new-passphrase-file passphrase")
      let terminal = try terminal()
      try terminal.await("Passphrase of alice's vault: ")
      terminal.type("right\n")
      #expect(terminal.wait() == 0)
      #expect(terminal.screen.matches(of: /assphrase/).count == 1, "\(terminal.screen)")
      #expect(try app("buy").exitCode == 0)
    }

    @Test func `Two different passphrases, and nobody to ask, create no vault`() throws {
      let terminal = try terminal()
      try terminal.await("New passphrase for a vault of alice: ")
      terminal.type("one\n")
      try terminal.await("Once more: ")
      terminal.type("two\n")
      #expect(terminal.wait() != 0 && terminal.screen.contains("the two passphrases differ"), "\(terminal.screen)")
      let alone = try system.run(
        ["setsid", "--wait", "/usr/local/bin/coffer", "app", "install", bundleID],
        environment: ["SUDO_UID": try system.succeed(["id", "-u", "alice"])])
      #expect(alone.exitCode != 0 && alone.errors.contains("--passphrase-file"), "\(alone)")
      #expect(try system.run(["test", "-e", "/home/alice/\(vault)"]).exitCode == 1)
    }

    @Test func `What an owner has removed, and another vendor's group, need coffer app add`() throws {
      try system.write("right", to: "/home/alice/passphrase", as: "alice")
      let file = ["--passphrase-file", "/home/alice/passphrase"]
      #expect(try install(file[0], file[1]).exitCode == 0)
      try system.succeed(
        ["sh", "-c", "coffer app remove \(bundleID) --yes --passphrase-file passphrase"], as: "alice",
        environment: ["COFFER_TEST_PASSPHRASE_COST": "floor"])
      let removed = try install(file[0], file[1])
      #expect(removed.exitCode == 1 && removed.errors.contains("coffer app add"), "\(removed)")
      expectFailure(try app(), 1)
    }

    @Test func `A service gets a vault of its own with one command, too`() throws {
      try system.succeed([
        "useradd", "--system", "--create-home", "--shell", "/usr/sbin/nologin", "photod",
      ])
      try system.write("right horse", to: "/home/photod/passphrase", as: "photod")
      let service = try install("--user", "photod", "--passphrase-file", "/home/photod/passphrase")
      #expect(
        service.exitCode == 0 && service.text.contains("in the vault of photod, which only it uses"), "\(service)")
      let bought = try system.run([InstalledScene.program, "buy"], as: "photod")
      #expect(bought.exitCode == 0, "\(bought)")
    }

    @Test func `A plist that alice could have written sets up nothing`() throws {
      try system.succeed(["chown", "alice", "/usr/local/share/coffer/apps/\(bundleID).entitlements"])
      let outcome = try install("--passphrase-file", "/home/alice/passphrase")
      #expect(outcome.exitCode == 1 && outcome.errors.contains("nobody vouches for the entitlements"), "\(outcome)")
      #expect(try system.run(["test", "-e", "/home/alice/\(vault)"]).exitCode == 1)
    }
  }
#endif
