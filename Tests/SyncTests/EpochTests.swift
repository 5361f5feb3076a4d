import Coffer
import CofferCrypto
import CofferExchange
import CofferFormat
import CofferStore
import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation
import Logging
import Testing

/// Epochs of honest machines at an honest host.
@Suite struct EpochTests {
  private let machines: EpochMachines
  private var remote: TemporaryRemote { machines.remote }
  private var laptop: Machine { machines.laptop }
  private var desktop: Machine { machines.desktop }

  init() throws { machines = try EpochMachines() }

  @Test func `Other machines follow a compact with what they have not sent, and a clone has everything`() throws {
    try desktop.set("unsent", "2")
    let first = try laptop.coffer("status")
    #expect(first.contains(/On the remote   \d+ kB of changes\n/), "\(first)")
    let report = try laptop.coffer("compact", "--json")
    #expect(report.contains("\"epoch\" : 2"))
    let branches = try machines.branches()
    #expect(branches.count == 1 && EpochBranch(name: branches[0])?.epoch == 2, "\(branches)")
    // The history is gone: only the log, the checkpoint and the snapshot are left.
    let files = try machines.files(of: branches[0])
    #expect(!files.contains { $0.hasPrefix("segments/") } && files.contains("snapshot/0") && files.contains("opened"))
    #expect(try desktop.coffer("sync").contains("epoch:    2"))
    try machines.sync(laptop)
    let third = try machines.clone(named: "third")
    try machines.sync(laptop, desktop)
    try machines.expect(["kept": "1", "changed": "old", "unsent": "2"], on: laptop, desktop, third)
    for machine in [laptop, desktop, third] { #expect(try machine.status("epoch") == "2") }
    let status = try third.coffer("status")
    #expect(
      status.contains(
        /On the remote   \d+ (?:bytes|kB) of changes since the snapshot of \d+ (?:bytes|kB), made [-0-9: ]+ by laptop\n/
      ),
      "\(status)")
    // Nothing is left to do.
    let tip = try remote.git("rev-parse", branches[0])
    try machines.sync(laptop, desktop, third)
    #expect(try remote.git("rev-parse", branches[0]) == tip)
  }

  @Test func `A machine that was absent for two epochs sends its change, and brings no old version back`() throws {
    try desktop.set("unsent", "2")
    // The version of the desktop is superseded twice, so nothing that counts names it.
    for value in ["newer", "newest"] {
      try laptop.set("changed", value)
      try machines.sync(laptop)
    }
    try laptop.coffer("delete", "service", "kept", "--app", app)
    try laptop.coffer("compact")
    try laptop.set("later", "3")
    try laptop.coffer("compact")
    #expect(try machines.branches().count == 1)
    try machines.sync(desktop, laptop)
    let expected = ["changed": "newest", "unsent": "2", "later": "3"]
    try machines.expect(expected, on: laptop, desktop)
    #expect(
      try desktop.local.store.read { try $0.objects(.checkpoint).map(\.key) } == [.checkpoint(2), .checkpoint(3)])
    let third = try machines.clone(named: "third")
    try machines.sync(desktop, laptop)
    try machines.expect(expected, on: third, laptop, desktop)
  }

  @Test func `With --keep, the branch before stays, and what lands there later does not count and is sent again`()
    throws
  {
    let third = try machines.clone(named: "third")
    try machines.sync(laptop, desktop)
    try desktop.set("late", "2")
    try remote.refuseNextPush()
    _ = try desktop.run("coffer", "sync")
    try laptop.coffer("compact", "--keep")
    let branches = try machines.branches()
    #expect(branches.first == "vault-1" && branches.count == 2)
    // The desktop's push, as if it had come after the end of the epoch.
    try remote.serve(remote.commit(segmentsOf: remote.kept(), on: "vault-1"))
    try machines.sync(third)
    #expect(try third.storedValues() == ["kept": "1", "changed": "old"])
    try machines.sync(desktop, third, laptop)
    try machines.expect(["kept": "1", "changed": "old", "late": "2"], on: laptop, desktop, third)
    #expect(try machines.files(of: branches[1]).contains { $0.hasPrefix("segments/") })
  }

  @Test func `What others write while an epoch is closed is on the next one's branch`() throws {
    try desktop.set("meanwhile", "2")
    try remote.refuseNextPush()
    _ = try desktop.run("coffer", "sync")
    try remote.prefer(remote.kept())
    try laptop.coffer("compact")
    remote.expectRaced()
    let branches = try machines.branches()
    #expect(branches.count == 1)
    #expect(try machines.files(of: branches[0]).contains { $0.hasPrefix("segments/") })
    #expect(try laptop.get("meanwhile") == "2")
    try machines.sync(desktop, laptop)
    try machines.expect(["kept": "1", "changed": "old", "meanwhile": "2"], on: laptop, desktop)
  }

  @Test func `A host that refuses another branch keeps the epoch, and everything else works`() throws {
    try remote.setPushHook("while read old new ref; do case $ref in *vault-2*) exit 1 ;; esac; done")
    let outcome = try laptop.run("coffer", "compact")
    #expect(outcome.exitCode == 7 && outcome.errors.contains("does not accept the branch of another epoch"))
    #expect(try machines.branches() == ["vault-1"])
    try laptop.set("later", "3")
    try machines.sync(laptop, desktop)
    try machines.expect(["kept": "1", "changed": "old", "later": "3"], on: laptop, desktop)
  }

  /// Takes an object of a branch from the remote while `body` runs: its transfer breaks in the middle.
  private func breakingTransfer(of branch: String, during body: () throws -> Void) throws {
    let tree = try remote.git("rev-parse", "\(branch)^{tree}").trimmingCharacters(in: .newlines)
    let path = remote.path + "/objects/\(tree.prefix(2))/\(tree.dropFirst(2))"
    try FileManager.default.moveItem(atPath: path, toPath: path + "-away")
    try body()
    try FileManager.default.moveItem(atPath: path + "-away", toPath: path)
  }

  @Test func `A connection that breaks while the next epoch is fetched does not divide the vault`() throws {
    try desktop.set("unsent", "2")
    try laptop.coffer("compact")
    let branches = try machines.branches()
    #expect(branches.count == 1 && branches != ["vault-1"])
    try breakingTransfer(of: branches[0]) {
      for _ in 0..<2 {
        let problems = try machines.problems(desktop)
        #expect(problems.contains("nothing is sent") && problems.contains(branches[0]), "\(problems)")
        #expect(try machines.branches() == branches)
      }
    }
    try machines.sync(desktop, laptop, desktop)
    #expect(try machines.branches() == branches)
    let third = try machines.clone(named: "third")
    try machines.expect(["kept": "1", "changed": "old", "unsent": "2"], on: laptop, desktop, third)
  }

  @Test func `A vault that Coffer 0.2.0 has divided after such a connection is united`() throws {
    let ended = try remote.git("rev-parse", "vault-1").trimmingCharacters(in: .newlines)
    try laptop.coffer("compact")
    let branch = try #require(EpochBranch(name: machines.branches()[0]))
    let tip = try remote.git("rev-parse", branch.name).trimmingCharacters(in: .newlines)
    // The desktop has pushed its branch again, and does not look at the other one any more.
    try remote.git("update-ref", "refs/heads/vault-1", ended)
    var note = ByteWriter()
    note.u8(4)
    note.u32(branch.epoch)
    note.u64(branch.tag)
    note.fixed(try #require(bytes(hexadecimal: tip)))
    try desktop.local.store.write { try $0.setSetting(.branches, note.bytes) }
    try desktop.set("unsent", "2")
    for _ in 0..<2 { _ = try desktop.run("coffer", "sync") }
    #expect(try desktop.status("epoch") == "2")
    try machines.sync(desktop, laptop, desktop)
    try machines.expect(["kept": "1", "changed": "old", "unsent": "2"], on: laptop, desktop)
  }

  @Test func `A host that refuses to delete a branch keeps it, and nobody minds`() throws {
    try remote.git("config", "receive.denyDeletes", "true")
    try laptop.coffer("compact")
    #expect(try machines.branches().count == 2)
    try machines.sync(desktop, laptop)
    try machines.expect(["kept": "1", "changed": "old"], on: laptop, desktop)
    let third = try machines.clone(named: "third")
    #expect(try third.status("epoch") == "2")
  }

  @Test func `A branch that was begun and not followed is deleted when the epoch goes on`() throws {
    try laptop.kill("coffer", ["compact"], at: FaultStep(point: .candidatePushed, occurrence: 1))
    #expect(try machines.branches().count == 2)
    try machines.sync(laptop)
    // A push that was under way could still close the epoch in its favour.
    #expect(try machines.branches().count == 2)
    try desktop.set("later", "3")
    try machines.sync(desktop, laptop)
    #expect(try machines.branches() == ["vault-1"])
    try machines.expect(["kept": "1", "changed": "old", "later": "3"], on: laptop, desktop)
  }

  @Test func `A machine that is killed between the log of the next epoch and that epoch blames nobody`() throws {
    try laptop.coffer("compact", "--keep")
    let plist = try laptop.directory.write("new.entitlements", entitlementsPlist("com.example.new"))
    try laptop.coffer("app", "add", plist)
    try desktop.kill("coffer", ["sync"], at: FaultStep(point: .chunkImported, occurrence: 1))
    let state = [try desktop.status("epoch"), try desktop.status("logLength")]
    #expect(try state == ["1", laptop.status("logLength")])
    // The branch of epoch 1 lacks the entry that it has from the other one.
    try machines.sync(desktop)
    #expect(try desktop.status("epoch") == "2")
  }

  @Test func `A machine that is killed while it follows an epoch makes a backup only after it has followed it`() throws
  {
    try laptop.set("later", "3")
    try laptop.coffer("compact")
    try desktop.kill("coffer", ["sync"], at: FaultStep(point: .chunkImported, occurrence: 1))
    let backup = desktop.directory.path("epoch.backup")
    let refused = try desktop.run("coffer", "backup", backup)
    #expect(
      refused.exitCode == 6 && refused.errors.contains("1 current version of items of a later epoch")
        && refused.errors.contains("coffer sync"), "\(refused)")
    try desktop.coffer("sync")
    try desktop.coffer("backup", backup)
  }

  @Test func `A large epoch ends by itself on an admin's machine, and a small one goes on`() throws {
    func sync(_ byteCount: Int) throws -> SyncReport {
      try Synchronizer(
        laptop.local, epochByteCount: byteCount, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      ).run()
    }
    for number in 0..<12 {
      try laptop.set("changed", "\(number)")
      #expect(try sync(1 << 20).epoch == 1)
    }
    // Without a change, nobody begins an epoch.
    #expect(try sync(1).epoch == 1)
    try laptop.set("changed", "last")
    let report = try sync(1)
    #expect(report.epoch == 2 && report.problems.isEmpty, "\(report.problems)")
    try machines.sync(desktop)
    try machines.expect(["kept": "1", "changed": "last"], on: laptop, desktop)
  }

  @Test func `A member cannot end an epoch, and follows one`() throws {
    let member = try Machine()
    try member.coffer(
      "clone", "--member", "--app", app, "--name", "ci", "--no-passphrase", "--vault-key-file", machines.two.key,
      remote.path)
    try machines.sync(laptop)
    let outcome = try member.run("coffer", "compact")
    #expect(outcome.exitCode == 4 && outcome.errors.contains("only an admin's machine can do that"), "\(outcome)")
    try laptop.coffer("compact")
    try machines.sync(member)
    #expect(try member.storedValues() == ["kept": "1", "changed": "old"])
  }

  @Test func `A store that is built anew in a later epoch has everything`() throws {
    try laptop.coffer("compact")
    try machines.sync(desktop)
    try desktop.set("unsent", "2")
    try desktop.coffer("clone", "--rejoin", remote.path)
    try machines.sync(desktop, laptop)
    try machines.expect(["kept": "1", "changed": "old", "unsent": "2"], on: laptop, desktop)
    #expect(try desktop.status("epoch") == "2")
  }

  @Test(
    arguments: ["DELETE FROM object WHERE kind = 'chunk'", "DELETE FROM object WHERE kind = 'checkpoint'"]
      + ["UPDATE object SET bytes = x'00' WHERE kind = 'chunk'"])
  func `What a store has lost of the epoch is fetched again`(sql: String) throws {
    try laptop.coffer("compact")
    try machines.sync(desktop)
    try Command.run("sqlite3", desktop.vault.appending(path: "store.sqlite").path, sql)
    // The summary does not cover the contents of a chunk.
    _ = try desktop.run("coffer", "check", "--repair")
    _ = try desktop.run("coffer", "sync")
    try machines.sync(desktop)
    try machines.expect(["kept": "1", "changed": "old"], on: desktop)
    #expect(try desktop.local.store.read { try $0.objects(.chunk).count } == 1)
    #expect(try machines.branches().count == 1)
  }

  @Test func `A machine that fetches its cache anew follows an epoch without a problem`() throws {
    // The branch of the third epoch has the checkpoint of the second one in another file.
    try laptop.coffer("compact")
    try machines.sync(desktop)
    try laptop.coffer("compact")
    try FileManager.default.removeItem(at: desktop.vault.appending(path: "cache.git"))
    try machines.sync(desktop)
    try machines.expect(["kept": "1", "changed": "old"], on: desktop)
    #expect(try desktop.status("epoch") == "3")
  }

  @Test func `A later epoch can be pushed to another remote`() throws {
    try laptop.coffer("compact")
    let other = try TemporaryRemote()
    try laptop.coffer("remote", "set", other.path)
    try machines.sync(laptop)
    let clone = try Machine()
    try clone.coffer("clone", "--name", "clone", "--no-passphrase", "--vault-key-file", machines.two.key, other.path)
    #expect(try clone.storedValues() == ["kept": "1", "changed": "old"])
    #expect(try clone.status("epoch") == "2")
  }

  @Test func `A headless credential reads a later epoch, by URL and from a clone`() throws {
    let headless = try HeadlessMachine.copy(withCredential: true)
    try headless.laptop.sync()
    try headless.laptop.coffer("compact")
    let arguments = ["get", "service", "token"]
    for repository in [headless.remote.path, try headless.cloneReadOnly()] {
      let outcome = try headless.run(arguments[0], arguments[1], arguments[2], from: repository)
      #expect(outcome.text == "of the free app", "\(outcome)")
    }
  }
}
