import Coffer
import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// Backups that are made and restored by honest machines.
@Suite struct BackupTests {
  /// A vault with history, a conflict, a tombstone, records of another machine, a device-local item and an item that
  /// was not sent yet.
  private static func makeVault() throws -> (suite: TwoMachines, values: [String: String]) {
    let suite = try TwoMachines()
    let (laptop, desktop) = (suite.laptop, suite.desktop)
    for account in ["one", "two", "gone", "both"] { try laptop.set(account, "first \(account)") }
    try laptop.set("one", "second one")
    try laptop.coffer("delete", "service", "gone", "--app", app)
    for machine in [laptop, desktop] { try machine.sync() }
    try desktop.set("three", "of the desktop")
    try desktop.set("both", "desktop")
    try laptop.set("both", "laptop")
    for machine in [desktop, laptop, desktop, laptop] { try machine.sync() }
    let values = try laptop.values()
    try #require(values.count == 4)
    var local = GenericPassword(service: "service", account: "local")
    local.accessibility = .whenUnlockedThisDeviceOnly
    let plist = URL(fileURLWithPath: Machine.entitlements(of: "PhotoPro"))
    try Vault.open(.file(plist), at: VaultLocation(folder: laptop.vault)).set("stays", for: local)
    try laptop.set("unsent", "waits")
    return (suite, values.merging(["unsent": "waits"]) { $1 })
  }

  @Test func `A backup brings everything back on a machine that has nothing else, and its vault gets a new remote`()
    throws
  {
    let (suite, values) = try Self.makeVault()
    let scene = try BackupScene(key: suite.key)
    let made = try suite.laptop.coffer("backup", scene.file)
    #expect(made.contains("5 items") && made.contains("1 item that never leaves this machine"), "\(made)")
    #expect(try scene.names == ["vault.coffer"])
    let mode = try FileManager.default.attributesOfItem(atPath: scene.file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    // What was sealed for the backup is sent by the next sync, and nothing else has changed.
    try suite.laptop.sync()
    try suite.desktop.sync()
    #expect(try suite.desktop.values() == values)
    #expect(try suite.laptop.coffer("check") == "The store matches its signed objects.")

    try FileManager.default.removeItem(atPath: suite.remote.path)
    let phoenix = try scene.restore()
    #expect(try phoenix.values() == values)
    #expect(try phoenix.status("conflictCount") == "1")
    #expect(try phoenix.coffer("history", "service", "one", "--app", app).split(separator: "\n").count >= 3)
    #expect(try phoenix.run("coffer", "sync").errors.contains("no remote"))
    #expect(try phoenix.coffer("check") == "The store matches its signed objects.")
    #expect(!phoenix.files().contains { $0.path.contains("backup.git") })
    try phoenix.set("new", "of the phoenix")

    let host = try TemporaryRemote()
    try phoenix.coffer("remote", "set", host.path)
    try phoenix.coffer("sync")
    #expect(try phoenix.coffer("check") == "The store matches its signed objects.")
    let third = try Machine()
    try third.coffer("clone", "--name", "third", "--no-passphrase", "--vault-key-file", suite.key, host.path)
    try third.sync()
    let all = values.merging(["new": "of the phoenix"]) { $1 }
    #expect(try third.values() == all)
    try third.set("back", "of the third")
    for machine in [third, phoenix] { try machine.sync() }
    #expect(try phoenix.get("back") == "of the third")
    try host.git("fsck", "--connectivity-only")
  }

  @Test func `A machine that was restored beside its remote is told how it comes back, and keeps what it has written`()
    throws
  {
    let suite = try TwoMachines()
    try suite.laptop.set("shared", "1")
    try suite.laptop.sync()
    let scene = try BackupScene(key: suite.key)
    try suite.laptop.coffer("backup", scene.file)
    let phoenix = try scene.restore()
    try phoenix.set("only here", "2")
    // The other branch.
    #expect(try suite.laptop.addApp("later").exitCode == 0)
    try phoenix.coffer("remote", "set", suite.remote.path)
    #expect(try phoenix.run("coffer", "sync").errors.contains("has forked"))
    let rejoin = try phoenix.run("coffer", "clone", "--rejoin", "--accept-fork")
    #expect(rejoin.exitCode == 6 && rejoin.errors.contains("`coffer backup FILE`"), "\(rejoin)")
    #expect(rejoin.errors.contains("COFFER_HOME=~/new coffer clone URL"), "\(rejoin)")
    try phoenix.coffer("backup", scene.disk.path("phoenix"))
    let kept = try Machine()
    try kept.succeed("coffer", scene.restoration(of: scene.disk.path("phoenix"), named: "kept"))
    #expect(try kept.values() == ["shared": "1", "only here": "2"])
  }

  @Test func `A vault without a remote is backed up, and backed up again after it was restored`() throws {
    let machine = try Machine()
    let scene = try BackupScene(key: try machine.makeVault())
    try machine.register("PhotoPro")
    try machine.set("one", "1")
    try machine.coffer("backup", scene.file)
    try machine.set("two", "2")
    try machine.coffer("backup", scene.file)
    #expect(try machine.coffer("check") == "The store matches its signed objects.")
    let phoenix = try scene.restore()
    #expect(try phoenix.values() == ["one": "1", "two": "2"])
    try phoenix.set("three", "3")
    try phoenix.coffer("backup", "create", scene.file)
    let again = try scene.restore(named: "again")
    #expect(try again.values() == ["one": "1", "two": "2", "three": "3"])
    #expect(try again.coffer("device", "list").contains("phoenix"))
  }

  @Test func `Without a vault, backup says so, and creates no file`() throws {
    let scene = try BackupScene(key: "")
    let outcome = try Machine().run("coffer", "backup", scene.file)
    #expect(outcome.exitCode == 1 && outcome.errors.contains("there is no vault at"), "\(outcome)")
    #expect(try scene.names.isEmpty)
  }

  @Test func `A kept vault key goes into a backup, and is kept where the passphrase of that restores it`() throws {
    let machine = try Machine()
    try machine.coffer("set", "wifi", input: "secret")
    let scene = try BackupScene(key: "")
    let passphrase = try scene.disk.write("passphrase", "five random words in a row")
    try machine.coffer("backup", "create", "--backup-passphrase-file", passphrase, scene.file)
    let phoenix = try Machine()
    let restored = try phoenix.run(
      "coffer", "backup", "restore", "--name", "phoenix", "--no-passphrase", "--backup-passphrase-file", passphrase,
      scene.file)
    #expect(restored.exitCode == 0 && restored.errors.contains("coffer vault-key show"), "\(restored)")
    #expect(try phoenix.coffer("get", "wifi") == "secret")
    // Nobody else has it if the file is replaced by one without it.
    try phoenix.coffer("backup", "create", scene.file)
    let key = phoenix.directory.path("key")
    try phoenix.coffer("vault-key", "show", "--vault-key-file", key)
    let again = try BackupScene(key: key)
    let other = try Machine()
    let outcome = try other.start("coffer", again.restoration(of: scene.file)).wait()
    #expect(outcome.exitCode == 0 && !outcome.errors.contains("vault-key show"), "\(outcome)")
  }

  @Test func `A backup of the second epoch, after a revocation and a new vault key, is restored`() throws {
    let machines = try ThreeMachines()
    let laptop = machines.laptop
    try laptop.set("kept", "1")
    try machines.desktop.set("other", "2")
    machines.desktop.environment["LC_ALL"] = "C.UTF-8"
    for machine in [machines.desktop, laptop] { try machine.coffer("sync") }
    #expect(try machines.remove(on: laptop, "device", "revoke", "desktop").exitCode == 0)
    try laptop.coffer("compact")
    let new = machines.third.directory.path("new-key")
    try laptop.coffer(
      "vault-key", "rotate", "--vault-key-file", machines.key, "--new-vault-key-file", new)
    try laptop.set("later", "3")
    let scene = try BackupScene(key: new)
    try laptop.coffer("backup", scene.file)
    let phoenix = try scene.restore()
    let values = ["kept": "1", "other": "2", "later": "3"]
    #expect(try phoenix.values() == values)
    #expect(try phoenix.status("epoch") == "2")
    #expect(try !phoenix.coffer("device", "list").contains("desktop"))
    let host = try TemporaryRemote()
    try phoenix.coffer("remote", "set", host.path)
    try phoenix.coffer("sync")
    let fourth = try Machine()
    try fourth.coffer("clone", "--name", "fourth", "--no-passphrase", "--vault-key-file", new, host.path)
    #expect(try fourth.values() == values)
    // The old vault key opens nothing of it.
    let old = try BackupScene(key: machines.key)
    let stranger = try Machine()
    let outcome = try stranger.start("coffer", old.restoration(of: scene.file)).wait()
    #expect(outcome.exitCode == 5 && outcome.errors.contains("replaced") && stranger.files().isEmpty, "\(outcome)")
  }

  @Test func `A check says what is in a backup, who has made it, and what this machine has since`() throws {
    let (suite, _) = try Self.makeVault()
    let scene = try BackupScene(key: suite.key)
    try suite.laptop.coffer("backup", scene.file)
    try suite.laptop.set("after", "the backup")
    let report = try suite.laptop.backupReport(of: scene.file)
    #expect(report["machine"] as? String == "laptop" && report["verifiedWith"] as? String == "machine")
    #expect(report["itemCount"] as? Int == 5 && report["localItemCount"] as? Int == 1)
    #expect(report["newerVersionCount"] as? Int == 1 && report["isComplete"] as? Bool == true)
    let groups = try #require(report["groups"] as? [[String: Any]])
    #expect(groups.count == 1 && (groups[0]["name"] as? String)?.hasSuffix(app) == true, "\(groups)")
    // Another machine of the vault verifies it, too, and so does the vault key anywhere.
    #expect(try suite.desktop.backupReport(of: scene.file)["machine"] as? String == "laptop")
    let stranger = try Machine()
    let verified = try stranger.backupReport(of: scene.file, "--vault-key-file", suite.key)
    #expect(verified["itemCount"] as? Int == 5 && verified["verifiedWith"] as? String == "vaultKey")
    #expect(verified["newerVersionCount"] == nil)
    // Without a key, nothing is claimed of what only a key proves.
    let blind = try stranger.coffer("backup", "check", scene.file)
    #expect(blind.contains("The file is whole") && blind.contains("Not checked") && !blind.contains("laptop"))
    #expect(stranger.files().isEmpty)
  }

  @Test func `git reads a backup, and finds the branch of the vault in it`() throws {
    let (suite, _) = try Self.makeVault()
    let scene = try BackupScene(key: suite.key)
    try suite.laptop.sync()
    try suite.laptop.coffer("backup", scene.file)
    let clone = scene.disk.path("clone.git")
    try Command.run("git", "clone", "--quiet", "--bare", scene.file, clone)
    let files = try Command.run("git", "-C", clone, "ls-tree", "-r", "--name-only", "vault-1")
    #expect(files.split(separator: "\n").map(String.init) == (try suite.remote.files()))
    #expect(try Command.run("git", "-C", clone, "for-each-ref", "--format=%(refname)") == "refs/heads/vault-1")
  }

  @Test func `A change of the membership that may still be discarded is not in a backup, and is named`() throws {
    let suite = try TwoMachines()
    let scene = try BackupScene(key: suite.key)
    try suite.laptop.set("one", "1")
    // Otherwise the first commit is the one with this item.
    try suite.laptop.sync()
    let plist = try suite.laptop.directory.write(
      "new.entitlements", entitlementsPlist("com.example.new", groups: ["~com.example.new"]))
    try suite.laptop.kill("coffer", ["app", "add", plist], at: FaultStep(point: .commitWritten, occurrence: 1))
    let made = try suite.laptop.coffer("backup", scene.file)
    #expect(made.contains("the remote has not accepted yet"), "\(made)")
    let phoenix = try scene.restore()
    #expect(try phoenix.values() == ["one": "1"])
    #expect(try !phoenix.coffer("app", "list").contains("com.example.new"))
    // The laptop goes on as before.
    try suite.laptop.succeed("coffer", ["app", "add", plist])
    try suite.desktop.sync()
    #expect(try suite.desktop.coffer("app", "list").contains("com.example.new"))
  }

  @Test func `A backup is made while the remote changes, and after its branch was set back`() throws {
    let suite = try TwoMachines()
    let scene = try BackupScene(key: suite.key)
    try suite.laptop.set("one", "1")
    try suite.laptop.sync()
    let tip = suite.remote.tip
    try suite.desktop.set("two", "2")
    try suite.desktop.sync()
    // What this machine has not heard of is not in its backup, and no fault of it.
    try suite.laptop.coffer("backup", scene.file)
    #expect(try suite.laptop.backupReport(of: scene.file)["itemCount"] as? Int == 1)
    try suite.laptop.sync()
    try suite.remote.serve(tip)
    try suite.laptop.coffer("backup", scene.file)
    #expect(try scene.restore().values() == ["one": "1", "two": "2"])
  }

  @Test func `A member backs up what it has, without a right to most of it`() throws {
    let suite = try TwoMachines()
    let scene = try BackupScene(key: suite.key)
    try suite.laptop.set("one", "1")
    try suite.laptop.sync()
    let member = try Machine()
    try member.coffer(
      "clone", "--member", "--name", "member", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
    try member.coffer("backup", scene.file)
    #expect(try suite.laptop.backupReport(of: scene.file)["machine"] as? String == "member")
    #expect(try scene.restore().values() == ["one": "1"])
  }

  @Test func `A backup of a forked log says so, and is restored with the branch of its machine`() throws {
    let suite = try TwoMachines()
    let scene = try BackupScene(key: suite.key)
    try suite.laptop.set("one", "1")
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    // The host shows each of them the repository without what the other one does.
    let copy = try TemporaryRemote(copying: suite.remote)
    try suite.desktop.coffer("remote", "set", copy.path)
    for (machine, name) in [(suite.laptop, "left"), (suite.desktop, "right")] {
      let plist = try machine.directory.write(
        "\(name).entitlements", entitlementsPlist("com.example.\(name)", groups: ["~com.example.\(name)"]))
      try machine.coffer("app", "add", plist)
    }
    try suite.desktop.coffer("remote", "set", suite.remote.path)
    _ = try suite.desktop.run("coffer", "sync")
    let made = try suite.desktop.coffer("backup", scene.file)
    #expect(made.contains("Note: ") && made.contains("branch that this machine follows"), "\(made)")
    let phoenix = try scene.restore()
    #expect(try phoenix.values() == ["one": "1"])
    #expect(try phoenix.coffer("app", "list").contains("com.example.right"))
  }

  @Test func `A machine that was removed makes no backup, and keeps the earlier ones`() throws {
    let suite = try TwoMachines()
    let scene = try BackupScene(key: suite.key)
    try suite.desktop.coffer("backup", "create", "--keep", "1", scene.disk.path)
    let names = try scene.names
    let early = try suite.desktop.coffer("backup", scene.file)
    #expect(early.contains("verified"))
    try suite.laptop.coffer("device", "revoke", "desktop", "--yes", "--vault-key-file", suite.key)
    // Before it has heard of it, it backs up what it has. Who knows better says so.
    try suite.desktop.coffer("backup", scene.file)
    let check = try suite.laptop.run("coffer", "backup", "check", scene.file)
    #expect(check.exitCode == 6 && check.errors.contains("desktop, which has made the backup, was removed"), "\(check)")
    #expect(check.text.contains("of the membership log that the backup does not have"), "\(check)")
    _ = try suite.desktop.run("coffer", "sync")
    for arguments in [["--keep", "1", scene.disk.path], [scene.file]] {
      let outcome = try suite.desktop.start("coffer", ["backup", "create"] + arguments).wait()
      #expect(outcome.exitCode == 4 && outcome.errors.contains("was removed from the vault"), "\(outcome)")
    }
    #expect(try scene.names == names + ["vault.coffer"])
    _ = try scene.restore()
  }

  @Test func `Without a remote, a vault is backed up after its vault key was replaced and a machine was removed`()
    throws
  {
    let machine = try Machine()
    let old = try machine.makeVault()
    try machine.register("PhotoPro")
    try machine.set("one", "1")
    let new = machine.directory.path("new-key")
    try machine.coffer("vault-key", "rotate", "--vault-key-file", old, "--new-vault-key-file", new)
    try machine.set("two", "2")
    let scene = try BackupScene(key: new)
    try machine.coffer("backup", scene.file)
    let phoenix = try scene.restore()
    try phoenix.coffer("device", "revoke", "--all-others", "--yes", "--vault-key-file", new)
    try phoenix.set("three", "3")
    try phoenix.coffer("backup", scene.file)
    let third = try scene.restore(named: "third")
    #expect(try third.values() == ["one": "1", "two": "2", "three": "3"])
    #expect(try !third.coffer("device", "list").contains("laptop"))
    let host = try TemporaryRemote()
    try third.coffer("remote", "set", host.path)
    try third.coffer("sync")
    #expect(try third.coffer("check") == "The store matches its signed objects.")
  }

  @Test func `An app that was added between two remotes is in a backup with its items`() throws {
    let suite = try TwoMachines()
    let scene = try BackupScene(key: suite.key)
    try suite.laptop.sync()
    try suite.laptop.coffer("remote", "remove")
    #expect(try suite.laptop.addApp("late").exitCode == 0)
    try suite.laptop.coffer("set", "service", "late", "--app", "com.example.late", input: "of late")
    let host = try TemporaryRemote()
    try suite.laptop.coffer("remote", "set", host.path)
    try suite.laptop.coffer("backup", scene.file)
    let phoenix = try scene.restore()
    #expect(try phoenix.coffer("get", "service", "late", "--app", "com.example.late") == "of late")
  }

  @Test func `A backup is checked on a machine whose own store is damaged`() throws {
    let suite = try TwoMachines()
    let scene = try BackupScene(key: suite.key)
    try suite.laptop.coffer("backup", scene.file)
    try Data("no database".utf8).write(to: suite.laptop.vault.appending(path: "store.sqlite"))
    for options in [[], ["--vault-key-file", suite.key]] {
      let check = try suite.laptop.start("coffer", ["backup", "check"] + options + [scene.file]).wait()
      #expect(check.exitCode == 0 && check.errors.contains("was not compared"), "\(check)")
    }
  }
}
