import CofferTestSupport
import Foundation
import Testing

@Suite struct MembershipTests {
  @Test func `A wrong vault key and a mistyped one differ, exit with 5, and leave no files`() throws {
    let suite = try TwoMachines()
    let third = try Machine()
    let other = try third.directory.write("other", Machine().withVaultKey())
    let wrong = try third.run("coffer", "clone", "--no-passphrase", "--vault-key-file", other, suite.remote.path)
    #expect(wrong.exitCode == 5)
    #expect(wrong.errors.contains("does not open this vault"))
    let right = try String(contentsOfFile: suite.key, encoding: .utf8)
    let typo = try third.directory.write(
      "typo", String(right.trimmingCharacters(in: .newlines).dropLast()) + (right.contains("Z\n") ? "Y" : "Z"))
    #expect(
      try third.run("coffer", "clone", "--no-passphrase", "--vault-key-file", typo, suite.remote.path).exitCode == 5)
    #expect(third.files().isEmpty)
    try third.coffer("clone", "--name", "third", "--no-passphrase", "--vault-key-file", suite.key, suite.remote.path)
  }

  @Test func `An empty or missing repository, another branch and another vault are each named`() throws {
    let suite = try TwoMachines()
    let third = try Machine()
    func clone(_ url: String) throws -> Machine.Outcome {
      try third.run("coffer", "clone", "--no-passphrase", "--vault-key-file", suite.key, url)
    }
    let empty = try TemporaryRemote()
    let emptyClone = try clone(empty.path)
    #expect(emptyClone.exitCode == 6 && emptyClone.errors.contains("contains no vault"))
    let missing = try clone(empty.path + ".nowhere")
    #expect(missing.exitCode == 7)
    let code = try TemporaryRemote()
    try code.git("update-ref", "refs/heads/feature", code.git("commit-tree", "-m", "x", code.git("mktree")))
    #expect(try clone(code.path).exitCode == 6)

    let foreign = try TwoMachines.ofNewVault()
    try suite.laptop.coffer("remote", "set", foreign.remote.path)
    let sync = try suite.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("another vault"))
    let refused = try suite.laptop.run("coffer", "remote", "set", code.path)
    #expect(refused.exitCode == 6 && refused.errors.contains("the branch feature of something else"), "\(refused)")
    #expect(third.files().isEmpty)
  }

  @Test
  func `An app registered after a clone gets a credential there by coffer app install, and reads old items`() throws {
    let remote = try TemporaryRemote()
    let laptop = try Machine()
    let desktop = try Machine()
    let key = try laptop.makeVault()
    try laptop.coffer("remote", "set", remote.path)
    try laptop.sync()
    try desktop.coffer("clone", "--name", "desktop", "--no-passphrase", "--vault-key-file", key, remote.path)
    try laptop.register("PhotoPro")
    try laptop.set("before", "written before the install")
    try laptop.sync()
    try desktop.sync()
    let refused = try desktop.run("coffer", "get", "service", "before", "--app", app)
    #expect(refused.exitCode == 4)
    #expect(refused.errors.contains("coffer app install"))
    try desktop.coffer("app", "install", app)
    #expect(try desktop.get("before") == "written before the install")
  }

  @Test func `Two machines that register apps at once both succeed, the second on top of the first`() throws {
    let remote = try TemporaryRemote()
    let laptop = try Machine()
    let desktop = try Machine()
    let key = try laptop.makeVault()
    try laptop.coffer("remote", "set", remote.path)
    try laptop.sync()
    try desktop.coffer("clone", "--name", "desktop", "--no-passphrase", "--vault-key-file", key, remote.path)
    let running = try [
      laptop.start("coffer", ["app", "add", Machine.entitlements(of: "PhotoFree")]),
      desktop.start("coffer", ["app", "add", Machine.entitlements(of: "PhotoPro")]),
    ]
    for program in running {
      let outcome = try program.wait()
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
    try desktop.succeed("PhotoPro", ["buy"])
    for machine in [laptop, desktop, laptop] { try machine.sync() }
    #expect(try laptop.succeed("PhotoFree").hasPrefix("Pro unlocked"))
    #expect(try laptop.status("headPhrase") == desktop.status("headPhrase"))
  }

  @Test func `With an unreachable remote a change of membership is exit code 7 and changes nothing`() throws {
    let suite = try TwoMachines()
    let length = try suite.laptop.status("logLength")
    try FileManager.default.moveItem(atPath: suite.remote.path, toPath: suite.remote.path + ".away")
    let plist = try suite.laptop.directory.write(
      "Third.entitlements",
      String(contentsOfFile: Machine.entitlements(of: "PhotoFree"), encoding: .utf8)
        .replacing("photo.free", with: "photo.third"))
    let outcome = try suite.laptop.run("coffer", "app", "add", plist)
    #expect(outcome.exitCode == 7)
    #expect(try suite.laptop.status("logLength") == length)
    #expect(try suite.laptop.run("coffer", "sync").exitCode == 7)
    try FileManager.default.moveItem(atPath: suite.remote.path + ".away", toPath: suite.remote.path)
    try suite.laptop.coffer("app", "add", plist)
    #expect(try suite.laptop.status("unsyncedChanges") == "0")
  }

  @Test(arguments: ["", "-oProxyCommand=x", "ftp://example.com/x", "ssh://-x/y"])
  func `Unusable remotes are refused with the reason`(url: String) throws {
    let machine = try Machine()
    try machine.makeVault()
    let outcome = try machine.run("coffer", "remote", "set", "--", url)
    #expect(outcome.exitCode == 2, "\(outcome)")
    #expect(try machine.run("coffer", "remote", "show").exitCode == 3)
  }

  @Test func `coffer-sync is started from the folder of coffer, never from PATH`() throws {
    let machine = try Machine()
    let alone = machine.directory.path("bin")
    try FileManager.default.createDirectory(atPath: alone, withIntermediateDirectories: true)
    // Written by another process: a child would inherit our descriptor open for writing, and exec would fail as "busy".
    try Command.run("cp", Machine.path(of: "coffer"), alone)
    try machine.makeVault()
    let planted = try machine.directory.write("coffer-sync", "#!/bin/sh\necho planted\n", permissions: 0o755)
    let folder = URL(fileURLWithPath: planted).deletingLastPathComponent().path
    let outcome = try machine.run(
      alone + "/coffer", "sync", environment: ["PATH": "\(folder):/usr/bin:/bin"])
    #expect(outcome.exitCode == 1)
    #expect(outcome.errors.contains("coffer-sync is missing"))
    #expect(!outcome.text.contains("planted"))
  }
}

extension Machine {
  /// Returns the text of a new vault's key.
  fileprivate func withVaultKey() throws -> String { try String(contentsOfFile: makeVault(), encoding: .utf8) }
}
