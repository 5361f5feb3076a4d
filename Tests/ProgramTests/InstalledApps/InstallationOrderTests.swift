#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  @testable import CofferProgram

  /// Nothing is changed on the machine before everything that can prevent an installation was checked, and a program
  /// that was replaced since is noticed.
  @Suite(.enabled(if: PrivateSystem.isAvailable, "only root can install apps, in a namespace with mounts of its own"))
  struct InstallationOrderTests {
    private let program = InstalledScene.program
    private let bundleID = InstalledScene.bundleID
    private let cost = ["COFFER_TEST_PASSPHRASE_COST": "floor"]

    /// What an installation changes, whoever it is for.
    private func facts(_ system: PrivateSystem) throws -> String {
      try system.succeed([
        "sh", "-c",
        "stat --format '%U %G %a %i' \(program); getent group | grep coffer-; find /var/lib/coffer/apps || true",
      ])
    }

    /// Runs `sudo coffer app install` as a user.
    private func install(_ system: PrivateSystem, _ user: String) throws -> Machine.Outcome {
      try system.sudo(
        user, "app", "install", bundleID, "--setgid", program, "--passphrase-file", "/home/\(user)/passphrase")
    }

    @Test func `Without a passphrase, and with a wrong one, the program and the system stay as they were`() throws {
      let system = try PrivateSystem()
      try system.addUser("alice")
      let plist = try String(contentsOfFile: Machine.entitlements(of: "PhotoPro"), encoding: .utf8)
      try system.write(plist, to: "/home/alice/PhotoPro.entitlements", as: "alice")
      try system.write("right", to: "/home/alice/passphrase", as: "alice")
      for words in [
        "init --name laptop --no-passphrase --vault-key-file key", "app add PhotoPro.entitlements",
      ] { try system.succeed(["sh", "-c", "coffer \(words)"], as: "alice", environment: cost) }
      let before = try facts(system)
      let open = try install(system, "alice")
      #expect(open.exitCode != 0 && open.errors.contains("coffer passphrase set"), "\(open)")
      #expect(try facts(system) == before)
      try system.succeed(
        ["sh", "-c", "coffer passphrase set --new-passphrase-file passphrase"], as: "alice", environment: cost)
      try system.write("wrong", to: "/home/alice/passphrase", as: "alice")
      let wrong = try install(system, "alice")
      #expect(wrong.exitCode != 0 && wrong.errors.contains("wrong"), "\(wrong)")
      #expect(try facts(system) == before)
      try system.write("right", to: "/home/alice/passphrase", as: "alice")
      let installed = try install(system, "alice")
      #expect(installed.exitCode == 0 && installed.text.contains("runs with the group"), "\(installed)")
      #expect(try system.run([program, "buy"], as: "alice").exitCode == 0)
    }

    @Test func `What stops root stops it before the app's earlier credential is taken away`() throws {
      let scene = try InstalledScene(isInstalled: false)
      let system = scene.system
      let log = try scene.coffer("log")
      func refusal(_ exitCode: Int32, _ words: String) throws {
        let outcome = try install(system, "alice")
        #expect(outcome.exitCode == exitCode && outcome.errors.contains(words), "\(outcome)")
        #expect(try system.succeed([program], as: "alice") == "Photo Pro: all filters")
        #expect(try scene.coffer("log") == log)
      }
      try system.succeed(["mount", "--bind", "/dev/null", "/usr/sbin/groupadd"])
      try refusal(1, "the program groupadd is not installed")
      try system.succeed(["umount", "/usr/sbin/groupadd"])
      try system.succeed(["mount", "-o", "remount,bind,ro", "/usr/local"])
      try refusal(2, "cannot be changed: Read-only file system")
      try system.succeed(["mount", "-o", "remount,bind,rw", "/usr/local"])
      let group = try InstalledScene.shared().group()
      try system.succeed(["groupadd", "--system", group])
      try system.succeed(["gpasswd", "--add", "alice", group])
      try refusal(6, "gpasswd --delete")
      try system.succeed(["gpasswd", "--delete", "alice", group])
      try scene.install()
      #expect(try system.succeed([program], as: "alice") == "Photo Pro: all filters")
      #expect(try scene.coffer("log") != log)
    }

    @Test func `A member learns how its machine becomes one that can install, and nothing is changed before`() throws {
      let scene = try InstalledScene(isInstalled: false)
      let system = scene.system
      try system.addUser("bob")
      try system.succeed(["git", "init", "--quiet", "--bare", "--shared=0666", "/home/remote.git"])
      try system.succeed(["git", "config", "--system", "--add", "safe.directory", "*"])
      try scene.coffer("remote", "set", "/home/remote.git")
      try scene.coffer("sync")
      try system.write(try system.succeed(["cat", "/home/alice/vault-key"]), to: "/home/bob/key", as: "bob")
      try system.write("right", to: "/home/bob/passphrase", as: "bob")
      func bob(_ words: String) throws {
        let variables = cost.merging(["COFFER_PASSPHRASE_FILE": "/home/bob/passphrase"]) { $1 }
        try system.succeed(["sh", "-c", words], as: "bob", environment: variables)
      }
      try bob("coffer clone --member --name desktop --vault-key-file key /home/remote.git")
      try scene.coffer("sync")
      let before = try facts(system)
      let refused = try install(system, "bob")
      #expect(refused.exitCode != 0 && refused.errors.contains("is a member of the vault"), "\(refused)")
      #expect(!refused.errors.contains("--asks-root"), "\(refused)")
      #expect(try facts(system) == before)
      // What it says is done.
      let commands = AdviceScene.commands(in: refused.errors.replacing("\n", with: " "))
      #expect(commands == ["coffer admin add desktop", "coffer sync"], "\(refused)")
      for command in commands { try bob(command + (command.hasSuffix("sync") ? "" : " --vault-key-file key")) }
      let installed = try install(system, "bob")
      #expect(installed.exitCode == 0, "\(installed)")
      #expect(try system.succeed([program], as: "bob") == "Photo Pro: all filters")
    }

    @Test func `A program that root has written over is noticed by the list and by doctor, whose advice ends it`()
      throws
    {
      let scene = try InstalledScene()
      let system = scene.system
      let facts = ["stat", "--format", "%G %a %i", program]
      let before = try system.succeed(facts)
      try system.succeed(["sh", "-c", "cp \(program) new && printf x >> new && cp new \(program)"])
      // Root's cp keeps the file, its group and its mode.
      #expect(try system.succeed(facts) == before)
      expectFailure(
        try system.run([program], as: "alice"), 1, "another program was written into its file",
        "sudo coffer app reinstall \(bundleID)")
      let advice = "not usable: if an upgrade has replaced it, run: sudo coffer app reinstall \(bundleID)"
      #expect(try scene.coffer("app", "list").contains(advice))
      try AdviceScene(system, as: "alice").carryOut(Finding.Kind.installation.rawValue)
      #expect(try !scene.coffer("app", "list").contains("reinstall"))
      #expect(try system.succeed([program], as: "alice") == "Photo Pro: all filters")
    }
  }
#endif
