#if os(Linux)
  import CofferFormat
  import CofferTestSupport
  import CofferTrust
  import CofferVault
  import Foundation
  import Testing

  /// Apps that were registered with --locked, whose vault opens with the keys in the agent.
  @Suite struct LockedAppAgentTests {
    private let purchases = "com.example.photo.purchases"

    private func author(_ scene: AgentScene) throws -> String {
      let membership = try LocalVault.open(VaultFolder(scene.machine.vault)).publishedMembership()
      let app = try #require(membership.apps.keys.first { $0.bundleID.description == AgentScene.group })
      return try #require(membership.holders(of: app).first).description
    }

    @Test
    func `After coffer unlock, an app opens its vault without a change in it, reads and writes, until coffer lock`()
      throws
    {
      let scene = try AgentScene(isLocked: true)
      expectFailure(try scene.machine.run("PhotoPro"), 1, "locked")
      try scene.unlock()
      #expect(try scene.machine.succeed("PhotoPro") == "Photo Pro: not bought yet; run PhotoPro buy")
      try scene.machine.succeed("PhotoPro", ["buy"])
      #expect(try scene.machine.succeed("PhotoPro") == "Photo Pro: all filters")
      #expect(try scene.machine.run("coffer", "check").exitCode == 0)
      try scene.machine.coffer("lock")
      expectFailure(try scene.machine.run("PhotoPro"), 1, "locked")
      // The signature of the agent is the app's.
      let outcome = try scene.machine.run(
        "coffer", "show", "store.example.com", "photo-pro", "--group", purchases, "--passphrase-file", scene.passphrase)
      #expect(outcome.text.contains(AgentScene.group), "\(outcome)")
    }

    @Test func `Of what an app has written through an agent that is killed meanwhile, nothing is lost`() throws {
      let scene = try AgentScene(isLocked: true)
      try scene.unlock()
      let (plist, file) = (Machine.entitlements(of: "PhotoPro"), scene.machine.directory.path("acknowledged"))
      let writer = try scene.machine.start(
        "/bin/sh", ["-c", "exec '\(Machine.path(of: "CofferTestWriter"))' '\(plist)' w 100000 > '\(file)'"])
      defer { writer.kill() }
      func acknowledged() -> [Substring] {
        ((try? String(contentsOfFile: file, encoding: .utf8)) ?? "").split(separator: "\n")
      }
      try waitUntil("it writes") { acknowledged().count > 20 }
      for process in try scene.agents() { kill(process, SIGKILL) }
      let outcome = try writer.wait()
      #expect(outcome.exitCode == 1 && outcome.errors.contains("has ended or does not answer"), "\(outcome)")
      #expect(try scene.machine.run("coffer", "check").exitCode == 0)
      try scene.unlock()
      let listed = try scene.machine.coffer("list", "own", "--app", AgentScene.group)
      for number in acknowledged() { #expect(listed.contains("w-\(number) "), "\(number)") }
    }

    @Test func `An app that changes its name after it has opened its vault is served all the same`() throws {
      let scene = try AgentScene(isLocked: true)
      try scene.unlock()
      let arguments = [Machine.entitlements(of: "PhotoPro"), "w", "2", "renamed"]
      #expect(try scene.machine.succeed("CofferTestWriter", arguments) == "0\n1")
    }

    @Test func `A group that demands a lease opens for the app when a person allows it, and otherwise stays locked`()
      throws
    {
      let scene = try AgentScene(isLocked: true)
      try scene.unlock()
      try scene.machine.coffer("group", "require", purchases, "lease", "--passphrase-file", scene.passphrase)
      expectFailure(try scene.machine.run("PhotoPro"), 1, "locked")
      for process in try scene.agents() { kill(process, SIGKILL) }
      try waitUntil("the agent has ended") { try scene.agents().isEmpty }
      let dialog = try ScriptedDialog(answer: "echo OK")
      try scene.startAgent(environment: dialog.environment)
      try scene.unlock()
      #expect(try scene.machine.succeed("PhotoPro", ["buy"]) == "Thank you for buying Photo Pro.")
      let shown = try #require(dialog.descriptions().first)
      #expect(shown.contains("Allow PhotoPro to ") && shown.contains(purchases), "\(shown)")
    }

    @Test func `A refusal by a person is the error with which the app does not open its vault`() throws {
      let scene = try AgentScene(isLocked: true)
      let dialog = try ScriptedDialog(answer: "echo 'ERR 83886194 Not confirmed'")
      try scene.startAgent(environment: dialog.environment)
      try scene.unlock("--confirm")
      expectFailure(try scene.machine.run("PhotoPro"), 1, "was not allowed", "start the app again")
      #expect(dialog.descriptions().count == 1)
    }

    @Test func `Of a group that requires an installation, the agent gives an app that is not installed nothing`() throws
    {
      let scene = try AgentScene(isLocked: true)
      try scene.unlock()
      let request =
        "print(ask(connect(), opening(\(scene.python(scene.machine.vault.path)).encode(), bytes.fromhex('\(try author(scene))')))[:3])"
      #expect(try scene.attack(request) == "b'\\x02\\x02'")
      try scene.machine.coffer("group", "require", purchases, "strong", "--passphrase-file", scene.passphrase)
      // 8: the client has not proved that it is the app.
      #expect(try scene.attack(request) == "b'\\x02\\x05\\x08'")
    }

    @Test func `An app accepts no mark of a verified record whose key an agent has chosen`() throws {
      let scene = try AgentScene(isLocked: true)
      try scene.unlock()
      try scene.machine.succeed("PhotoPro", ["buy"])
      try scene.machine.succeed("PhotoPro")
      let app = try author(scene)
      func marks() throws -> String {
        let statement = "SELECT count(*) FROM verified WHERE hex(author) = upper(?)"
        return try Command.run(
          "python3", "-c",
          "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(sys.argv[2], [sys.argv[3]]).fetchone()[0])",
          VaultFolder(scene.machine.vault).storePath, statement, app)
      }
      #expect(try marks() == "0")
      // With keys of its own, it leaves marks.
      try scene.machine.succeed(
        "coffer", ["set", "--app", AgentScene.group, "s", "a", "--passphrase-file", scene.passphrase], input: "v")
      #expect(try marks() != "0")
    }
  }
#endif
