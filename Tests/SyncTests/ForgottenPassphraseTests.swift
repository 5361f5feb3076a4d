import Coffer
import CofferFormat
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// A machine that was enrolled anew because its passphrase was forgotten, with other machines.
@Suite struct ForgottenPassphraseTests {
  @Test func `A machine that is enrolled anew keeps its items, synced or not, and syncs as before`() throws {
    let suite = try TwoMachines()
    let passphrase = try suite.laptop.directory.write("new", "new passphrase")
    try suite.laptop.set("synced", "1")
    try suite.laptop.sync()
    try suite.laptop.set("unsynced", "2")
    // An item that never leaves the machine.
    let plist = try Data(contentsOf: URL(fileURLWithPath: Machine.entitlements(of: "PhotoPro")))
    try Vault.open(.bytes(plist), at: VaultLocation(folder: suite.laptop.vault)).set(
      "3",
      for: GenericPassword(service: "service", account: "local", accessibility: .whenUnlockedThisDeviceOnly))
    let outcome = try suite.laptop.coffer(
      "passphrase", "set", "--forgotten", "--vault-key-file", suite.key, "--new-passphrase-file", passphrase, "--name",
      "workstation")
    #expect(outcome.contains("workstation"))
    try suite.laptop.set("after", "4")
    try suite.laptop.sync()
    try suite.desktop.set("desk", "5")
    for machine in [suite.desktop, suite.laptop] { try machine.sync() }
    let shared = ["synced": "1", "unsynced": "2", "after": "4", "desk": "5"]
    #expect(try suite.desktop.values() == shared)
    #expect(try suite.laptop.values() == shared.merging(["local": "3"]) { $1 })
    for machine in [suite.laptop, suite.desktop] {
      #expect(try machine.coffer("check").contains("matches"))
      #expect(try machine.coffer("sync").contains("Up to date"))
      #expect(try machine.status("unsyncedChanges") == "0" && machine.status("pendingRecords") == "0")
    }
    #expect(try suite.laptop.status("headPhrase") == suite.desktop.status("headPhrase"))
    // It is an admin as before.
    #expect(
      try suite.laptop.run(
        "coffer", "app", "install", "com.example.photo.pro", "--passphrase-file", passphrase
      ).exitCode == 0)
    #expect(try suite.desktop.coffer("list").contains("on workstation"))
  }

  @Test func `Without a remote, a machine that is enrolled anew keeps the transport keys of its log`() throws {
    let (laptop, desktop, remote) = (try Machine(), try Machine(), try TemporaryRemote())
    let key = try laptop.makeVault()
    let next = laptop.directory.path("next-key")
    let passphrase = try laptop.directory.write("new", "new passphrase")
    try laptop.register("PhotoPro")
    try laptop.set("a", "1")
    try laptop.coffer("vault-key", "rotate", "--vault-key-file", key, "--new-vault-key-file", next)
    #expect(try laptop.local.deviceFile().transportKeys.map(\.generation) == [1])
    try laptop.coffer(
      "passphrase", "set", "--forgotten", "--vault-key-file", next, "--new-passphrase-file", passphrase)
    #expect(try laptop.local.deviceFile().transportKeys.map(\.generation) == [1, 2])
    #expect(try laptop.coffer("check").contains("matches"))
    // The next change replaces the newest key, and other machines open what is sealed under it.
    try laptop.coffer("device", "revoke", "laptop", "--yes", "--vault-key-file", next)
    try laptop.coffer("remote", "set", remote.path)
    try laptop.sync()
    try desktop.coffer("clone", "--name", "desktop", "--no-passphrase", "--vault-key-file", next, remote.path)
    try desktop.set("b", "2")
    for machine in [desktop, laptop, desktop] { try machine.sync() }
    for machine in [desktop, laptop] {
      #expect(try machine.values() == ["a": "1", "b": "2"])
      #expect(try machine.local.deviceFile().transportKeys.map(\.generation) == [1, 2, 3])
      #expect(try machine.coffer("check").contains("matches"))
    }
  }

  @Test func `An admin's machine without its admin keys names the command that enrols it anew, and keeps its items`()
    throws
  {
    let suite = try TwoMachines()
    try suite.laptop.set("unsynced", "1")
    try FileManager.default.removeItem(at: suite.laptop.vault.appending(path: "admin"))
    let list = try suite.laptop.run("coffer", "list")
    #expect(list.exitCode == 4 && list.errors.contains("with the vault key: coffer passphrase change --forgotten"))
    let passphrase = try suite.laptop.directory.write("new", "new passphrase")
    try suite.laptop.coffer(
      "passphrase", "change", "--forgotten", "--vault-key-file", suite.key, "--new-passphrase-file", passphrase)
    #expect(try suite.laptop.coffer("list", "--passphrase-file", passphrase).contains("unsynced"))
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    #expect(try suite.desktop.get("unsynced") == "1")
  }

  @Test func `An unreachable remote leaves the old keys in place`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("a", "1")
    try suite.laptop.sync()
    let keys = try suite.laptop.files().filter { ["device", "admin", "credential"].contains($0.lastPathComponent) }
      .map { try Data(contentsOf: $0) }
    let moved = suite.remote.path + ".away"
    try FileManager.default.moveItem(atPath: suite.remote.path, toPath: moved)
    let outcome = try suite.laptop.run(
      "coffer", "passphrase", "set", "--forgotten", "--vault-key-file", suite.key, "--new-passphrase-file",
      try suite.laptop.directory.write("new", "new passphrase"))
    #expect(outcome.exitCode == 7, "\(outcome)")
    try FileManager.default.moveItem(atPath: moved, toPath: suite.remote.path)
    #expect(
      try suite.laptop.files().filter { ["device", "admin", "credential"].contains($0.lastPathComponent) }
        .map { try Data(contentsOf: $0) } == keys)
    try suite.laptop.set("a", "2")
    try suite.laptop.sync()
    #expect(try suite.laptop.status("unsyncedChanges") == "0")
  }
}
