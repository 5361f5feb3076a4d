import Coffer
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// Reading with a headless credential, by real programs.
@Suite struct HeadlessCredentialTests {
  private let suite: HeadlessMachine

  init() throws { suite = try HeadlessMachine.copy(withCredential: true) }

  @Test func `It reads its apps' groups and no others from a clone that nobody may write, without a home`() throws {
    let clone = try suite.cloneReadOnly()
    func state() throws -> String {
      try Command.run("sh", "-c", "find \"$1\" -printf '%p %s %T@ %C@ %m\\n' | sort", "sh", clone)
    }
    let before = try state()
    let token = try suite.run("get", "service", "token", from: clone)
    #expect(token.exitCode == 0 && token.text == "of the free app" && token.isQuiet, "\(token)")
    let marker = try suite.run("get", "service", "marker", "--group", HeadlessMachine.purchases, from: clone)
    #expect(marker.text == "bought", "\(marker)")
    // By its app's name, too, and in the form of another program than `get`.
    #expect(try suite.run("get", "service", "token", "--app", HeadlessMachine.freeApp, from: clone).exitCode == 0)
    let list = try suite.run("list", "--json", from: clone)
    #expect(list.text.contains("token") && list.text.contains("marker") && !list.text.contains("own"), "\(list)")
    for command in [
      ["status"], ["log"], ["group", "list"], ["app", "list"], ["device", "list"], ["why", HeadlessMachine.freeApp],
      ["why", HeadlessMachine.freeApp, "service", "token"], ["show", "service", "token"],
      ["history", "service", "token"],
      ["list", "--tree"], ["graph"],
    ] {
      let outcome = try suite.runner.start(
        "coffer", command, environment: ["COFFER_CREDENTIAL_FILE": suite.credential, "COFFER_REPOSITORY": clone]
      ).wait()
      #expect(outcome.exitCode == 0 && outcome.isQuiet, "\(command): \(outcome)")
    }
    #expect(
      try suite.run("device", "list", from: clone).text.contains(/ci +[0-9a-f]{8} +read-only .*this machine, exp/))

    // Not the group of the paid app, by any name, and not as the owner or the paid app.
    let own = try suite.run("get", "service", "own", from: clone)
    #expect(own.exitCode == 3 && own.text.isEmpty, "\(own)")
    let group = try suite.run("get", "service", "own", "--group", app, from: clone)
    #expect(group.exitCode == 4 && group.errors.contains("not entitled"), "\(group)")
    let other = try suite.run("get", "service", "own", "--app", app, from: clone)
    #expect(
      other.exitCode == 4 && other.errors.contains("the credential ci is not for \(app); it is for: "), "\(other)")
    #expect(try state() == before)
  }

  @Test func `An app that embeds its entitlements reads with it, and cannot write`() throws {
    #expect(try suite.run(program: "PhotoFree").text == "free: 3 filters")
    try suite.laptop.succeed("PhotoPro", ["buy"])
    try suite.laptop.sync()
    let unlocked = try suite.run(program: "PhotoFree")
    #expect(unlocked.text.hasPrefix("Pro unlocked") && unlocked.text.contains("on laptop"), "\(unlocked)")
    let forged = try suite.run("forge", program: "PhotoFree")
    #expect(forged.exitCode == 1 && forged.errors.contains("the credential ci only reads"), "\(forged)")
    let peek = try suite.run("peek", program: "PhotoFree")
    #expect(peek.errors.contains("not entitled"), "\(peek)")
    let pro = try suite.run(program: "PhotoPro")
    #expect(pro.exitCode == 1 && pro.errors.contains("the credential ci is not for"), "\(pro)")
  }

  @Test func `A vault that is opened with it locks and unlocks, and says when the credential expires`() throws {
    let headless = try HeadlessVault.open(credentialAt: suite.credential, repository: suite.remote.path)
    #expect(headless.warnings.isEmpty)
    let vault = try headless.vault(ofApp: nil)
    let item = GenericPassword(service: "service", account: "token")
    #expect(try vault.string(for: item) == "of the free app")
    let days = try #require(try vault.credentialExpiration).timeIntervalSinceNow / 86_400
    #expect((89.9...90).contains(days))
    #expect(try vault.accessGroups.allSatisfy { !$0.isWritable })
    vault.lock()
    #expect(throws: VaultError.self) { try vault.string(for: item) }
    try vault.unlock()
    #expect(try vault.string(for: item) == "of the free app")
    for change: (Vault) throws -> Void in [
      { try $0.set("x", for: item) }, { _ = try $0.delete(item) },
      { vault in _ = try vault.transaction { try vault.delete(item) } },
    ] {
      let error = #expect(throws: VaultError.self) { try change(vault) }
      #expect(
        error?.code == .notEntitled && error?.message.contains("only reads") == true, "\(String(describing: error))")
    }
    // Another credential in its place is not taken for this one.
    try suite.laptop.coffer(
      "device", "create", "--name", "second", "--apps", HeadlessMachine.freeApp, "--out",
      suite.runner.directory.path("second"))
    vault.lock()
    try suite.write([UInt8](try Data(contentsOf: URL(fileURLWithPath: suite.runner.directory.path("second")))))
    let error = #expect(throws: VaultError.self) { try vault.unlock() }
    #expect(error?.message.contains("was replaced") == true)
  }

  @Test func `It reads a clone with a working tree and a shallow one, and a remote over ssh`() throws {
    let tree = suite.runner.directory.path("tree")
    try Command.run("git", "clone", "--quiet", "--branch", "vault-1", suite.remote.path, tree)
    #expect(try suite.run("get", "service", "token", from: tree).text == "of the free app")
    let shallow = suite.runner.directory.path("shallow")
    try Command.run("git", "clone", "--quiet", "--depth", "1", "-b", "vault-1", "file://\(suite.remote.path)", shallow)
    #expect(try suite.run("get", "service", "token", from: shallow).text == "of the free app")
    // As it was fetched last: the branch of the working tree may be older.
    try suite.laptop.coffer("set", "service", "later", "--app", HeadlessMachine.freeApp, input: "value")
    try suite.laptop.sync()
    #expect(try suite.run("get", "service", "later", from: tree).exitCode == 3)
    try Command.run("git", "-C", tree, "fetch", "--quiet")
    #expect(try suite.run("get", "service", "later", from: tree).text == "value")

    let server = try SSHServer()
    let temporary = try TemporaryDirectory()
    let url = "ssh://\(server.user)@127.0.0.1:\(server.port)\(suite.remote.path)"
    let outcome = try suite.run(
      "get", "service", "token", from: url,
      environment: ["TMPDIR": temporary.path, "COFFER_SSH_CONFIG": server.clientConfiguration])
    #expect(outcome.text == "of the free app", "\(outcome)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty)
  }

  @Test func `Every command that changes something, or needs a vault of its own, says that the credential only reads`()
    throws
  {
    let tip = suite.remote.tip
    let app = HeadlessMachine.freeApp
    for command in [["set", "service", "token"], ["set", "service", "new"], ["delete", "service", "token"]] {
      let outcome = try suite.runner.start(
        "coffer", command, input: Data("value".utf8),
        environment: ["COFFER_CREDENTIAL_FILE": suite.credential, "COFFER_REPOSITORY": suite.remote.path]
      ).wait()
      #expect(
        outcome.exitCode == 4 && outcome.errors.contains("the credential ci only reads"), "\(command): \(outcome)")
    }
    for command in [
      ["init"], ["clone", suite.remote.path], ["sync"], ["check"],
      ["app", "add", Machine.entitlements(of: "PhotoFree")],
      ["app", "install", app], ["app", "remove", app], ["device", "revoke", "laptop"], ["admin", "add", "ci"],
      ["device", "create", "--name", "x", "--apps", app, "--out", "-"], ["remote", "set", suite.remote.path],
      ["passphrase", "set"], ["vault-key", "check"], ["rotate"], ["refused", "list"], ["inspect"], ["log", "--verify"],
    ] {
      let outcome = try suite.runner.start(
        "coffer", command,
        environment: ["COFFER_CREDENTIAL_FILE": suite.credential, "COFFER_REPOSITORY": suite.remote.path]
      ).wait()
      #expect(
        outcome.exitCode == 1 && outcome.errors.contains("has a headless credential, which only reads"),
        "\(command): \(outcome)")
    }
    #expect(suite.remote.tip == tip)
    #expect(try suite.laptop.coffer("get", "service", "token", "--app", app) == "of the free app")
  }

  @Test func `A credential that was removed reads nothing any more, and nobody needs the vault key for that`() throws {
    let old = try suite.cloneReadOnly()
    try suite.laptop.coffer("device", "revoke", "ci", "--yes")
    try suite.laptop.coffer("set", "service", "new", "--app", HeadlessMachine.freeApp, input: "after")
    try suite.laptop.sync()
    for name in ["token", "new"] {
      let outcome = try suite.run("get", "service", name)
      #expect(
        outcome.exitCode == 4
          && outcome.errors.contains(/the credential ci was removed from the vault on [0-9-]+ [0-9:]+ by laptop/),
        "\(outcome)")
    }
    #expect(try suite.run(program: "PhotoFree").errors.contains("was removed from the vault"))
    // What it had before, it may have kept.
    #expect(try suite.run("get", "service", "token", from: old).text == "of the free app")
    let machines = try suite.laptop.coffer("device", "list", "--revoked")
    #expect(machines.contains(/ci +[0-9a-f]{8} +none .*removed/), "\(machines)")
    #expect(!(try suite.laptop.coffer("device", "list").contains("ci")))
    // It is no machine that could confirm anything.
    #expect(!(try suite.laptop.coffer("status").contains("ci has not synced")))
    // A new credential may have its name.
    let second = suite.runner.directory.path("second")
    try suite.laptop.coffer("device", "create", "--name", "ci", "--apps", HeadlessMachine.freeApp, "--out", second)
    let read = try suite.run("get", "service", "new", environment: ["COFFER_CREDENTIAL_FILE": second])
    #expect(read.text == "after", "\(read)")
  }

  @Test func `With an app removed from the vault, the credential says so`() throws {
    try suite.laptop.coffer("app", "remove", HeadlessMachine.freeApp, "--yes")
    let outcome = try suite.run("get", "service", "token")
    #expect(outcome.exitCode == 4 && outcome.errors.contains("was removed from the vault"), "\(outcome)")
  }
}
