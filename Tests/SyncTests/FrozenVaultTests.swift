import CofferStore
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// A vault that a version has written, kept as files: one machine, its repository and the vault key.
private struct FrozenVault {
  /// The items on the remote, and one that the machine has not synced.
  static let synced = [
    "updated": "three", "conflict": "of the laptop", "by a lost machine": "kept", "after the snapshot": "new",
  ]
  static let waiting = ["waiting": "never synced"]

  let remote: TemporaryRemote
  let machine: Machine
  /// The path of the vault key.
  let key: String

  static func folder(_ version: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "FrozenVaults/\(version)")
  }

  /// Copies the files, with the modes that git does not keep.
  init(_ version: String) throws {
    let folder = Self.folder(version)
    remote = try TemporaryRemote()
    try remote.git("fetch", "--quiet", folder.appending(path: "repository.bundle").path, "refs/heads/*:refs/heads/*")
    machine = try Machine()
    try FileManager.default.createDirectory(
      at: machine.vault.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: folder.appending(path: "machine"), to: machine.vault)
    key = machine.home.appending(path: "vault-key").path
    try FileManager.default.copyItem(atPath: folder.appending(path: "vault-key").path, toPath: key)
    try Command.run("chmod", "-R", "u=rwX,go=", machine.home.path)
    try machine.local.store.write { try $0.setSetting(.remoteURL, Array(remote.path.utf8)) }
  }
}

/// Every future version must read a frozen vault with all its contents.
@Suite struct FrozenVaultTests {
  /// The first, and that in which the first transport key is part of all later ones.
  private static let versions = ["0.2.0", "0.3.0"]

  /// Writes the files on request. They have a revocation, another vault key, a second epoch with a snapshot, a segment
  /// after it, a deletion, a conflict and a change that was not synced.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["COFFER_WRITE_VAULT"] == "1"))
  static func `A vault is frozen on request, if there is none`() throws {
    let folder = FrozenVault.folder(try #require(versions.last))
    guard !FileManager.default.fileExists(atPath: folder.path) else { return }
    let suite = try ThreeMachines()
    for value in ["one", "two"] { try suite.laptop.set("updated", value) }
    try suite.laptop.set("deleted", "gone")
    try suite.sync(suite.laptop, suite.desktop, suite.third)
    try suite.laptop.coffer("delete", "service", "deleted", "--app", app)
    try suite.desktop.set("by a lost machine", "kept")
    try suite.sync(suite.desktop, suite.laptop)
    try suite.revoke()
    let key = try suite.rotate()
    try suite.sync(suite.third)
    try suite.laptop.set("updated", "three")
    try suite.third.set("conflict", "of the third machine")
    try suite.laptop.set("conflict", "of the laptop")
    try suite.sync(suite.third, suite.laptop, suite.third)
    try suite.laptop.coffer("compact")
    try suite.sync(suite.third)
    try suite.third.set("after the snapshot", "new")
    try suite.sync(suite.third, suite.laptop)
    try suite.laptop.set("waiting", "never synced")
    let store = suite.laptop.vault.appending(path: "store.sqlite").path
    try Command.run("sqlite3", store, "PRAGMA wal_checkpoint(TRUNCATE)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try suite.remote.git(
      "bundle", "create", "--quiet", folder.appending(path: "repository.bundle").path, "--branches")
    try FileManager.default.copyItem(atPath: key, toPath: folder.appending(path: "vault-key").path)
    try Command.run(
      "sh", "-c", "mkdir \"$2\" && cd \"$1\" && tar -c --exclude=cache.git --exclude='*.lock' . | tar -x -C \"$2\"",
      "sh",
      suite.laptop.vault.path, folder.appending(path: "machine").path)
  }

  @Test(arguments: versions)
  func `The frozen machine has every item, and goes on syncing and writing`(version: String) throws {
    let frozen = try FrozenVault(version)
    let machine = frozen.machine
    #expect(try machine.values() == FrozenVault.synced.merging(FrozenVault.waiting) { $1 })
    #expect(try machine.coffer("conflicts", "--app", app).contains("conflict"))
    #expect(try machine.coffer("check") == "The store matches its signed objects.")
    #expect(try machine.status("unsyncedChanges") == "1" && machine.status("logFork") == "none")
    try machine.sync()
    #expect(try machine.status("unsyncedChanges") == "0")
    try machine.set("updated", "four")
    try machine.sync()
    #expect(try machine.get("updated") == "four")
    #expect(
      try machine.coffer("vault-key", "check", "--remote", "--vault-key-file", frozen.key)
        .contains("recovers the vault"))
    #expect(try machine.addApp("later").exitCode == 0)
    #expect(try machine.coffer("check") == "The store matches its signed objects.")
  }

  @Test(arguments: versions)
  func `The frozen repository and its vault key recover every item that was synced`(version: String) throws {
    let frozen = try FrozenVault(version)
    let machine = frozen.machine
    let clone = try Machine()
    try clone.coffer("clone", "--name", "later", "--no-passphrase", "--vault-key-file", frozen.key, frozen.remote.path)
    #expect(try clone.values() == FrozenVault.synced)
    #expect(try clone.coffer("device", "list").contains("third"))
    #expect(try clone.coffer("device", "list", "--revoked").contains("desktop"))
    #expect(try clone.status("headPhrase") != machine.status("headPhrase"))
    try machine.sync()
    #expect(try clone.coffer("check") == "The store matches its signed objects.")
  }

  @Test(arguments: versions)
  func `The frozen machine's store is built anew from its repository`(version: String) throws {
    let frozen = try FrozenVault(version)
    let machine = frozen.machine
    try machine.coffer("clone", "--rejoin", frozen.remote.path)
    #expect(try machine.values() == FrozenVault.synced.merging(FrozenVault.waiting) { $1 })
    #expect(try machine.coffer("check") == "The store matches its signed objects.")
  }
}
