import CofferCrypto
import CofferFormat
import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// Files of backups: their places, damage, and programs that are killed.
@Suite struct BackupFileTests {
  private let machine: Machine
  private let scene: BackupScene

  // Made once, and its files are only copied.
  nonisolated(unsafe) private static let template = Result {
    let machine = try Machine()
    machine.directory.deleteAtExit()
    try machine.makeVault()
    try machine.register("PhotoPro")
    try machine.set("one", "1")
    return machine
  }

  init() throws {
    machine = try unsafe Self.template.get().copied()
    scene = try BackupScene(key: machine.directory.path("vault-key"))
  }

  @Test func `A backup replaces an earlier one, and no link, folder or other file`() throws {
    try machine.coffer("backup", scene.file)
    let first = try scene.bytes()
    try machine.set("two", "2")
    try machine.coffer("backup", scene.file)
    #expect(try scene.bytes() != first)
    let other = try scene.disk.write("letter", "do not lose")
    let link = scene.disk.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: scene.file)
    let dangling = scene.disk.path("dangling")
    try FileManager.default.createSymbolicLink(atPath: dangling, withDestinationPath: scene.disk.path("nowhere"))
    try Command.run("git", "init", "--quiet", "--bare", scene.disk.path("folder"))
    let before = try scene.names
    for (path, words) in [
      (other, "is no backup of Coffer"), (link, "is a symbolic link"), (dangling, "is a symbolic link"),
      (scene.disk.path("folder"), "is a folder"), (scene.disk.path("missing/file"), "No such file"),
    ] {
      let outcome = try machine.run("coffer", "backup", "create", path)
      #expect(outcome.exitCode != 0 && outcome.errors.contains(words), "\(outcome)")
    }
    #expect(try scene.names == before)
    #expect(try String(contentsOfFile: other, encoding: .utf8) == "do not lose")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == scene.file)
  }

  @Test func `A backup of another vault is replaced only if that is meant`() throws {
    try machine.coffer("backup", scene.file)
    let first = try scene.bytes()
    let other = try Machine()
    try other.coffer("set", "other", input: "x")
    let refused = try other.run("coffer", "backup", scene.file)
    #expect(refused.exitCode == 2, "\(refused)")
    #expect(refused.errors.contains("\(scene.file) is a backup of another vault"), "\(refused)")
    #expect(refused.errors.contains("--replace-other"), "\(refused)")
    #expect(try scene.bytes() == first)
    // On a terminal, a person is asked, and no is what Enter means.
    for (answer, exitCode) in [("\n", Int32(5)), ("n\n", 5), ("y\n", 0)] {
      let terminal = try PseudoTerminal(other, "backup", scene.file)
      try terminal.await("is a backup of another vault")
      try terminal.await("Replace it?")
      terminal.type(answer)
      #expect(terminal.wait() == exitCode, "\(terminal.screen)")
      #expect(try (scene.bytes() == first) == (exitCode != 0))
    }
    try first.write(to: URL(filePath: scene.file))
    try other.coffer("backup", "create", "--replace-other", scene.file)
    #expect(try scene.bytes() != first)
    // The vault's own is replaced as before, and one that is damaged says of no vault that it is its own.
    try other.coffer("backup", scene.file)
    var damaged = first
    damaged[damaged.count - 40] ^= 1
    try damaged.write(to: URL(filePath: scene.file))
    try other.coffer("backup", scene.file)
  }

  @Test func `A byte that differs anywhere is noticed, and leaves no vault behind`() throws {
    try machine.coffer("backup", scene.file)
    let bytes = try scene.bytes()
    let stranger = try Machine()
    var generator = SeededGenerator(seed: 11)
    let places =
      Array(0..<120) + (0..<60).map { _ in Int.random(in: 120..<bytes.count, using: &generator) }
      + Array(bytes.count - 20..<bytes.count)
    for place in TestRun.rows(places, ordinarily: 40) {
      var damaged = bytes
      damaged[place] ^= 1 << Int.random(in: 0..<8, using: &generator)
      let outcome = try stranger.run("coffer", "backup", "check", scene.write(damaged))
      let isNamed = ["is damaged: ", "is no backup of Coffer: "].contains { outcome.errors.contains($0) }
      #expect([2, 6].contains(outcome.exitCode) && isNamed, "byte \(place): \(outcome)")
      #expect(stranger.files().isEmpty)
    }
  }

  @Test func `A backup that was cut off, or to which something was added, is refused`() throws {
    try machine.coffer("backup", scene.file)
    let bytes = try scene.bytes()
    for count in [0, 5, 16, 60, 200, bytes.count / 2, bytes.count - 21, bytes.count - 1] {
      try scene.expectRefused(scene.write(bytes.prefix(count)), "is damaged: ")
    }
    try scene.expectRefused(scene.write(bytes + Data("more".utf8)), "is damaged: ")
  }

  @Test func `Something else is no backup`() throws {
    let remote = try TemporaryRemote()
    try machine.coffer("remote", "set", remote.path)
    try machine.coffer("sync")
    let bundle = scene.disk.path("bundle")
    try remote.git("bundle", "create", "--quiet", bundle, "--all")
    try scene.expectRefused(bundle, "is no backup of Coffer", exitCodes: [2])
    try scene.expectRefused(scene.disk.write("text", "a letter"), "is no backup of Coffer", exitCodes: [2])
    try scene.expectRefused(scene.disk.path, "is no regular file", exitCodes: [2])
    try scene.expectRefused(scene.disk.path("nothing"), "No such file", exitCodes: [1])
  }

  @Test func `A backup from which a file was taken, or whose statement another vault has made, is refused`() throws {
    try machine.coffer("backup", scene.file)
    let other = try Machine()
    let otherScene = try BackupScene(key: try other.makeVault())
    try other.coffer("backup", otherScene.file)
    let repository = scene.disk.path("repository")
    try Command.run("git", "init", "--quiet", "--bare", repository)
    func git(_ arguments: String...) throws -> String {
      try Command.run(
        arguments: ["git", "-C", repository, "-c", "user.name=x", "-c", "user.email=x@localhost"] + arguments)
    }
    _ = try git("fetch", "--quiet", scene.file, "+refs/*:refs/*")
    _ = try git("fetch", "--quiet", otherScene.file, "refs/coffer/backup:refs/coffer/other")
    func bundle(_ name: String) throws -> String {
      let path = scene.disk.path(name)
      _ = try git("bundle", "create", "--quiet", path, "refs/coffer/backup", "refs/heads/vault-1")
      return path
    }
    // As it was, it is accepted: git has only packed it again.
    let stranger = try Machine()
    #expect(try stranger.backupReport(of: bundle("same"), "--vault-key-file", scene.key)["itemCount"] as? Int == 1)
    let tree = try Command.run(
      "sh", "-c", "git ls-tree vault-1 | grep -v segments$ | git mktree", in: URL(fileURLWithPath: repository))
    let marker = try git("rev-parse", "refs/coffer/backup")
    _ = try git("update-ref", "refs/heads/vault-1", try git("commit-tree", "-m", "x", tree))
    try scene.expectRefused(bundle("less"), "not those that its machine has put into it", exitCodes: [6])
    _ = try git("fetch", "--quiet", scene.file, "+refs/heads/vault-1:refs/heads/vault-1")
    _ = try git("update-ref", "refs/coffer/backup", "refs/coffer/other")
    try scene.expectRefused(bundle("mixed"), "not those that its machine has put into it", exitCodes: [6])
    // With something beside the statement, which nobody has signed.
    let extra = try Command.run(
      "sh", "-c", "{ git ls-tree \"$1\"; git ls-tree \"$1\" | sed s/statement/extra/; } | git mktree", "sh", marker,
      in: URL(fileURLWithPath: repository))
    _ = try git("update-ref", "refs/coffer/backup", try git("commit-tree", "-m", "x", extra))
    try scene.expectRefused(bundle("extra"), "something that no backup has: extra", exitCodes: [6])
    // With a history, in which a former state could be.
    _ = try git("update-ref", "refs/coffer/backup", marker)
    _ = try git(
      "update-ref", "refs/heads/vault-1",
      try git("commit-tree", "-m", "x", "-p", "vault-1", "vault-1^{tree}"))
    try scene.expectRefused(bundle("history"), "it has a history", exitCodes: [6])
  }

  @Test func `A statement that no machine of the vault has signed is refused`() throws {
    try machine.coffer("backup", scene.file)
    let repository = scene.disk.path("repository")
    try Command.run("git", "init", "--quiet", "--bare", repository)
    func git(_ arguments: String...) throws -> String {
      try Command.run(
        arguments: ["git", "-C", repository, "-c", "user.name=x", "-c", "user.email=x@localhost"] + arguments)
    }
    _ = try git("fetch", "--quiet", scene.file, "+refs/*:refs/*")
    let file = scene.disk.path("statement")
    try Command.run(
      "sh", "-c", "git cat-file blob refs/coffer/backup:statement > \"$1\"", "sh", file,
      in: URL(fileURLWithPath: repository))
    let genuine = try BackupStatement(bytes: [UInt8](Data(contentsOf: URL(fileURLWithPath: file))))
    /// Returns a backup with another statement of the same files.
    func forge(_ statement: BackupStatement, _ name: String) throws -> String {
      try Data(statement.bytes).write(to: URL(fileURLWithPath: file))
      let blob = try git("hash-object", "-w", file)
      let tree = try Command.run(
        "sh", "-c", "printf '100644 blob %s\\tstatement\\n' \(blob) | git mktree", in: URL(fileURLWithPath: repository))
      _ = try git("update-ref", "refs/coffer/backup", try git("commit-tree", "-m", "x", tree))
      let path = scene.disk.path(name)
      _ = try git("bundle", "create", "--quiet", path, "refs/coffer/backup", "refs/heads/vault-1")
      return path
    }
    let attacker = PartyKeys.random()
    let own = DeviceID(vault: genuine.contents.vault, keys: attacker.publicKeys)
    for (name, device) in [("own", own), ("borrowed", genuine.device)] {
      let path = try forge(BackupStatement(genuine.contents, device: device, key: attacker.signing), name)
      try scene.expectRefused(path, "no machine of the vault has signed it", exitCodes: [6])
    }
    // Of the future, it is neither deleted nor counted among those that stay.
    let keys = try machine.local.deviceFile().keys
    let folder = try TemporaryDirectory()
    let later = BackupStatement.Contents(
      vault: genuine.contents.vault, time: Timestamp(microseconds: 4_102_444_800_000_000),
      branch: genuine.contents.branch, log: genuine.contents.log, files: genuine.contents.files, key: nil,
      localItemCount: 0, isComplete: true)
    let future = try forge(BackupStatement(later, device: genuine.device, key: keys.signing), "future")
    try FileManager.default.moveItem(atPath: future, toPath: folder.path("coffer-future.backup"))
    for _ in 0..<3 { try machine.coffer("backup", "create", "--keep", "2", folder.path) }
    let made = try machine.coffer("backup", "create", "--keep", "2", folder.path)
    #expect(made.contains("was made in the future"), "\(made)")
    let kept = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(kept.count == 3 && kept.contains("coffer-future.backup"), "\(kept)")
    // The machine itself can sign anything, but not another log than the one in the file.
    let contents = genuine.contents
    let other = BackupStatement.Contents(
      vault: contents.vault, time: contents.time, branch: contents.branch,
      log: LogPosition(sequence: contents.log.sequence + 1, hash: contents.log.hash), files: contents.files,
      key: contents.key, localItemCount: 0, isComplete: true)
    try scene.expectRefused(
      forge(BackupStatement(other, device: genuine.device, key: keys.signing), "longer"), "another membership log",
      exitCodes: [6])
    _ = try forge(BackupStatement(contents, device: genuine.device, key: keys.signing), "vault.coffer")
    #expect(try scene.restore().values() == ["one": "1"])
  }

  @Test func `The earlier backup stays until the new one is verified, whenever the program is killed`() throws {
    try machine.coffer("backup", scene.file)
    let first = try scene.bytes()
    for point in [FaultPoint.backupWritten, .backupVerified, .segmentSealed] {
      try machine.set("two", "\(point)")
      try machine.kill("coffer", ["backup", scene.file], at: FaultStep(point: point, occurrence: 1))
      #expect(try scene.bytes() == first)
      #expect(try machine.coffer("check") == "The store matches its signed objects.")
    }
    try machine.kill("coffer", ["backup", scene.file], at: FaultStep(point: .backupMoved, occurrence: 1))
    #expect(try scene.bytes() != first)
    try machine.coffer("backup", scene.file)
    #expect(try scene.names == ["vault.coffer"])
    #expect(!machine.files().contains { $0.path.contains("/backup/") })
    #expect(try scene.restore().values() == ["one": "1", "two": "segmentSealed"])
  }

  @Test func `A restore that was killed is run again, and leaves nothing of the first run`() throws {
    try machine.coffer("backup", scene.file)
    for point in [
      FaultPoint.stagingCreated, .backupUnpacked, .downloadImported, .pushAccepted, .stagingComplete,
    ] {
      let phoenix = try Machine()
      try phoenix.kill("coffer", scene.restoration(), at: FaultStep(point: point, occurrence: 1))
      #expect(try phoenix.run("coffer", "status").exitCode != 0)
      try phoenix.succeed("coffer", scene.restoration())
      #expect(try phoenix.values() == ["one": "1"])
      let names = try FileManager.default.contentsOfDirectory(atPath: phoenix.home.path + "/vaults")
      #expect(names == ["default"], "\(point): \(names)")
    }
  }

  @Test func `A machine that has a vault keeps it`() throws {
    try machine.coffer("backup", scene.file)
    try machine.set("two", "2")
    let outcome = try machine.start("coffer", scene.restoration()).wait()
    #expect(outcome.exitCode == 1 && outcome.errors.contains("there is a vault at"), "\(outcome)")
    #expect(try machine.values() == ["one": "1", "two": "2"])
  }

  @Test func `The passphrase of a backup opens it, and neither another one nor a short one does`() throws {
    let passphrase = try scene.disk.write("passphrase", "five random words in a row")
    let short = try scene.disk.write("short", "short")
    let wrong = try scene.disk.write("wrong", "five other words in a row")
    let refused = try machine.run(
      "coffer", "backup", "create", "--vault-key-file", scene.key, "--backup-passphrase-file", short, scene.file)
    #expect(refused.exitCode == 2 && refused.errors.contains("12 to 1024 bytes"), "\(refused)")
    try machine.coffer(
      "backup", "create", "--vault-key-file", scene.key, "--backup-passphrase-file", passphrase, scene.file)
    let phoenix = try Machine()
    let restore = ["backup", "restore", "--name", "phoenix", "--no-passphrase", "--backup-passphrase-file"]
    let outcome = try phoenix.start("coffer", restore + [wrong, scene.file]).wait()
    #expect(outcome.exitCode == 5 && outcome.errors.contains("passphrase does not open"), "\(outcome)")
    #expect(phoenix.files().isEmpty)
    #expect(try phoenix.backupReport(of: scene.file, "--backup-passphrase-file", passphrase)["itemCount"] as? Int == 1)
    try phoenix.succeed("coffer", restore + [passphrase, scene.file])
    #expect(try phoenix.values() == ["one": "1"])
    // The vault key opens it as well, and a backup without a passphrase says that it has none.
    _ = try scene.restore()
    try machine.coffer("backup", "create", scene.file)
    let stranger = try Machine()
    let none = try stranger.start("coffer", restore + [passphrase, scene.file]).wait()
    #expect(none.exitCode == 2 && none.errors.contains("no passphrase") && stranger.files().isEmpty, "\(none)")
  }

  @Test func `A wrong vault key neither makes nor restores a backup`() throws {
    let other = try Machine()
    let wrong = try other.makeVault()
    let passphrase = try scene.disk.write("passphrase", "five random words in a row")
    let refused = try machine.run(
      "coffer", "backup", "create", "--vault-key-file", wrong, "--backup-passphrase-file", passphrase, scene.file)
    #expect(refused.exitCode == 5 && !FileManager.default.fileExists(atPath: scene.file), "\(refused)")
    try machine.coffer("backup", scene.file)
    let stranger = try Machine()
    let outcome = try stranger.start("coffer", BackupScene(key: wrong).restoration(of: scene.file)).wait()
    #expect(outcome.exitCode == 5 && stranger.files().isEmpty, "\(outcome)")
  }

  @Test func `A damaged store is not backed up in silence`() throws {
    try machine.set("two", "2")
    try machine.coffer("backup", scene.file)
    try machine.set("three", "3")
    let first = try scene.bytes()
    // The segment that the first backup has sealed.
    try Command.run(
      "sqlite3", machine.vault.appending(path: "store.sqlite").path,
      "UPDATE segment SET envelope = zeroblob(length(envelope)) WHERE number = 0")
    let refused = try machine.run("coffer", "backup", scene.file)
    #expect(refused.exitCode == 6 && refused.errors.contains("coffer check --repair"), "\(refused)")
    #expect(try scene.bytes() == first)
    let replacing = try machine.run("coffer", "backup", "create", "--despite-damage", scene.file)
    #expect(replacing.exitCode == 2 && replacing.errors.contains("replaces no other"), "\(replacing)")
    #expect(try scene.bytes() == first)
    let partial = scene.disk.path("partial")
    let made = try machine.run("coffer", "backup", "create", "--despite-damage", partial)
    #expect(made.exitCode == 6 && made.text.contains("Missing: 1 change of this machine that was not sent"), "\(made)")
    let check = try machine.run("coffer", "backup", "check", partial)
    #expect(check.exitCode == 6 && check.errors.contains("damaged store"), "\(check)")
    let phoenix = try Machine()
    let restored = try phoenix.start("coffer", scene.restoration(of: partial)).wait()
    #expect(restored.text.contains("lacks something"), "\(restored)")
  }

  @Test func `What nobody could restore is not written, also despite damage`() throws {
    let new = machine.directory.path("new-key")
    try machine.coffer("vault-key", "rotate", "--vault-key-file", scene.key, "--new-vault-key-file", new)
    for harm in [
      "UPDATE object SET bytes = zeroblob(length(bytes)) WHERE kind = 'root_slot'",
      "UPDATE log SET envelope = zeroblob(length(envelope)), entry = zeroblob(length(entry)) WHERE sequence = 2",
    ] {
      let copy = try machine.copied()
      let store = copy.vault.appending(path: "store.sqlite").path
      guard (try? Command.run("sqlite3", store, harm)) != nil else {
        // The slot of the later root is in another table.
        let tables = try Command.run("sqlite3", store, ".schema object")
        Issue.record("\(harm): \(tables)")
        continue
      }
      let outcome = try copy.run("coffer", "backup", "create", "--despite-damage", scene.file)
      #expect(outcome.exitCode == 6, "\(harm): \(outcome)")
      #expect(!outcome.errors.contains("/backup/read.git"), "\(outcome)")
      #expect(!FileManager.default.fileExists(atPath: scene.file))
    }
  }

  @Test func `A head phrase that is newer than the backup refuses it`() throws {
    try machine.coffer("backup", scene.file)
    let old = try machine.status("headPhrase")
    try machine.register("PhotoFree")
    let new = try machine.status("headPhrase")
    let stranger = try Machine()
    let outcome = try stranger.start("coffer", scene.restoration(["--head-phrase", new])).wait()
    #expect(
      stranger.files().isEmpty && outcome.exitCode == 6 && outcome.errors.contains("has no entry with the head phrase"),
      "\(outcome)")
    _ = try scene.restore("--head-phrase", old)
  }
}

extension BackupScene {
  fileprivate func restoration(_ options: [String]) -> [String] { restoration(of: nil, options) }
}
