import Coffer
import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// New machines, which have followed no epoch yet, at a remote with branches that look like later epochs.
@Suite struct SquattedEpochTests {
  private let machines: EpochMachines
  private var remote: TemporaryRemote { machines.remote }
  private var laptop: Machine { machines.laptop }
  private var desktop: Machine { machines.desktop }
  private let all = ["kept": "1", "changed": "old"]

  init() throws { machines = try EpochMachines() }

  /// Begins the second epoch, and returns its branch.
  private func beginEpoch() throws -> String {
    try laptop.coffer("compact")
    try machines.sync(desktop)
    return try #require(try machines.branches().last)
  }

  private func squat(_ epoch: Int, from branch: String, _ files: [String: [UInt8]?] = [:]) throws {
    try machines.commit(files, to: "vault-\(epoch)-00000000000000ff", from: branch)
  }

  private func clone(_ machine: Machine, _ options: String...) throws -> Machine.Outcome {
    let arguments = ["clone", "--name", "third", "--no-passphrase", "--vault-key-file", machines.two.key]
    return try machine.start("coffer", arguments + options + [remote.path]).wait()
  }

  @Test(
    arguments: TestRun.rows(
      ["nothing", "log/0/1", "root", "genesis", "opened", "checkpoints/2", "snapshot/0"], ordinarily: 2))
  func `A clone follows the newest epoch, whatever copies of it somebody has pushed under higher numbers`(
    altered path: String
  ) throws {
    let branch = try beginEpoch()
    for epoch in 9..<21 { try squat(epoch, from: branch, path == "nothing" ? [:] : [path: [1, 2, 3]]) }
    let third = try Machine()
    let outcome = try clone(third)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try third.storedValues() == all && third.storedStatus().epoch.number == 2)
    try third.set("new", "2")
    _ = try third.run("coffer", "sync")
    try machines.sync(desktop, laptop)
    try machines.expect(all.merging(["new": "2"]) { $1 }, on: laptop, desktop)
    #expect(try !machines.branches().contains("vault-1"))
  }

  @Test func `A machine that rebuilds its store, and one that is invited, follow the newest epoch too`() throws {
    let branch = try beginEpoch()
    for epoch in 9..<12 { try squat(epoch, from: branch, ["log/0/2": Array("garbage".utf8)]) }
    let rejoined = try desktop.run("coffer", "clone", "--rejoin", remote.path)
    // Its sync names the other branches.
    #expect(rejoined.exitCode == 6, "\(rejoined)")
    #expect(try desktop.storedValues() == all && desktop.storedStatus().epoch.number == 2)
    // With the wrong vault key, the error is that of the vault key.
    let stranger = try Machine()
    let wrong = try stranger.makeVault()
    let third = try Machine()
    let refused = try third.run("coffer", "clone", "--no-passphrase", "--vault-key-file", wrong, remote.path)
    #expect(refused.exitCode == 5 && refused.errors.contains("this vault key does not open this vault"), "\(refused)")
    #expect(third.files().isEmpty)
  }

  @Test func `With many such branches, a clone follows the newest epoch, and machines delete them`() throws {
    let branch = try beginEpoch()
    let tip = try remote.git("rev-parse", branch)
    let names = (100..<140).map { "create refs/heads/vault-\($0)-00000000000000ff \(tip)\n" }.joined()
    let list = try remote.directory.write("list", names)
    try Command.run("sh", "-c", "git -C \"$1\" update-ref --stdin < \"$2\"", "sh", remote.path, list)
    let third = try Machine()
    let outcome = try clone(third)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try third.storedValues() == all && third.storedStatus().epoch.number == 2)
    // One sync examines 32 of them.
    _ = try desktop.run("coffer", "sync")
    #expect(try machines.branches() == [branch])
    try desktop.set("later", "2")
    try machines.sync(desktop, laptop)
    try machines.expect(all.merging(["later": "2"]) { $1 }, on: laptop, desktop)
  }

  @Test func `A machine whose branch is gone follows the newest epoch in one sync, behind any number of branches`()
    throws
  {
    _ = try beginEpoch()
    try laptop.set("later", "2")
    try laptop.coffer("compact")
    let branches = try machines.branches()
    #expect(branches.count == 1, "\(branches)")
    let tip = try remote.git("rev-parse", branches[0])
    let names = (100..<140).map { "create refs/heads/vault-\($0)-00000000000000ff \(tip)\n" }.joined()
    let list = try remote.directory.write("list", names)
    try Command.run("sh", "-c", "git -C \"$1\" update-ref --stdin < \"$2\"", "sh", remote.path, list)
    _ = try desktop.run("coffer", "sync")
    #expect(try desktop.storedStatus().epoch.number == 3)
    #expect(try desktop.storedValues() == all.merging(["later": "2"]) { $1 })
  }

  @Test func `A clone finds the vault among any number of branches, and each sync deletes some that nobody has begun`()
    throws
  {
    let tip = try remote.git("rev-parse", "vault-1")
    let names = (2..<1_030).map { "create refs/heads/vault-\($0)-00000000000000ff \(tip)\n" }.joined()
    let list = try remote.directory.write("list", names)
    try Command.run("sh", "-c", "git -C \"$1\" update-ref --stdin < \"$2\"", "sh", remote.path, list)
    let third = try Machine()
    let outcome = try clone(third)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try third.storedValues() == all && third.storedStatus().epoch.number == 1)
    let count = try machines.branches().count
    #expect(try machines.problems(desktop).contains("no machine of the vault has begun it"))
    #expect(try machines.branches().count == count - 32)
    #expect(try machines.branches().contains("vault-1"))
  }

  @Test func `After the machine that began the epoch is removed, an admin's machine vouches for it to new ones`()
    throws
  {
    let branch = try beginEpoch()
    let old = try laptop.local.deviceFile()
    try desktop.coffer("device", "revoke", "laptop", "--vault-key-file", machines.two.key, "--yes")
    try machines.sync(desktop)
    #expect(try desktop.run("coffer", "sync").exitCode == 0)
    let third = try machines.clone(named: "third")
    try machines.sync(desktop)
    try machines.expect(all, on: desktop, third)
    #expect(try third.storedStatus().epoch.number == 2 && machines.branches() == [branch])

    // The removed machine begins another epoch, with the keys that it had.
    let key = try #require(try desktop.local.deviceFile().transportKeys.last)
    let membership = try desktop.local.membership()
    let next = try #require(EpochBranch(epoch: 3, tagged: 7))
    let forged = Closing(
      vault: membership.vault, continuedOn: next, checkpoint: .beforeFirst,
      device: DeviceID(vault: membership.vault, keys: old.keys.publicKeys), key: old.keys.signing)
    let sealed = Envelope(sealing: forged.bytes, as: .closing, key: key.key, generation: key.generation).bytes
    try machines.commit(["opened": sealed], to: next.name, from: branch)
    try machines.commit(["opened": sealed, "closed": sealed], to: branch)
    #expect(try machines.problems(desktop).contains("a file closed that is not valid: the machine that signed it"))
    try desktop.set("pushed", "1")
    _ = try desktop.run("coffer", "sync")
    try machines.sync(desktop)
    let fourth = try machines.clone(named: "fourth")
    #expect(try fourth.storedValues() == all.merging(["pushed": "1"]) { $1 } && fourth.storedStatus().epoch.number == 2)
  }

  @Test func `A beginning that was replaced does not stop a clone if somebody puts it back`() throws {
    let branch = try beginEpoch()
    let opening = try machines.bytes(of: "opened", at: branch)
    try desktop.coffer("device", "revoke", "laptop", "--vault-key-file", machines.two.key, "--yes")
    // As the laptop has signed it, before it was removed.
    try machines.commit(["opened": opening], to: branch)
    let third = try Machine()
    let outcome = try clone(third)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try third.storedValues() == all && machines.branches() == [branch])
    #expect(try machines.bytes(of: "opened", at: branch) != opening)
    try machines.expect(all, on: desktop, third)
  }

  // MARK: Dishonest snapshots and checkpoints

  @Test func `Records too many in a snapshot, of another vault or twice, change nothing`() throws {
    let other = try TwoMachines.ofNewVault()
    try other.laptop.set("kept", "foreign")
    try other.laptop.sync()
    let foreign = try other.laptop.local.store.read { reader in
      try reader.allSegments().compactMap { try reader.segment($0.0, $0.1) }
    }
    let key = try #require(try other.laptop.local.deviceFile().transportKeys.last)
    let records = foreign.flatMap { segment in
      (try? Envelope(bytes: segment.envelope).open(with: key.key)).flatMap { try? Segment(bytes: $0) }?.records ?? []
    }
    #expect(!records.isEmpty)
    try machines.beginDishonestEpoch(alterEntries: { $0 + $0.prefix(1) + records.map(SnapshotEntry.record) })
    let problems = try machines.problems(desktop)
    #expect(problems.contains("a record in the snapshot of laptop is ignored"), "\(problems)")
    #expect(try desktop.storedValues() == all)
    let third = try machines.clone(named: "third")
    #expect(try third.storedValues() == all)
    try third.set("new", "2")
    try machines.sync(third, desktop)
    #expect(try desktop.storedValues() == all.merging(["new": "2"]) { $1 })
  }

  @Test(arguments: [false, true])
  func `A checkpoint that lacks a stream, or claims more of it than exists, loses nothing`(claims: Bool) throws {
    let own = try desktop.local.store.read { try $0.streamHeads() }
    let device = DeviceID(
      vault: try desktop.local.membership().vault, keys: try desktop.local.deviceFile().keys.publicKeys)
    try desktop.set("unsent", "2")
    try machines.beginDishonestEpoch(alterStreams: { streams in
      guard claims else { return [] }
      return streams.map { stream in
        CoveredStream(
          position: StreamPosition(
            stream: stream.position.stream, number: stream.position.number + 50,
            hash: SegmentHash(Hash.digest([1], domain: .segment))), device: stream.device)
      }
    })
    #expect(!own.isEmpty && own.contains { $0.device != device })
    _ = try desktop.run("coffer", "sync")
    try desktop.set("later", "3")
    _ = try desktop.run("coffer", "sync")
    _ = try laptop.run("coffer", "sync")
    let expected = all.merging(["unsent": "2", "later": "3"]) { $1 }
    for machine in [desktop, laptop] { #expect(try machine.storedValues() == expected) }
    let third = try machines.clone(named: "third")
    #expect(try third.storedValues() == expected)
  }
}
