import CofferCrypto
import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Epochs that somebody forges who may push, and what a host does with their branches.
@Suite struct HostileEpochTests {
  private let machines: EpochMachines
  private var remote: TemporaryRemote { machines.remote }
  private var laptop: Machine { machines.laptop }
  private var desktop: Machine { machines.desktop }
  private let all = ["kept": "1", "changed": "old"]

  init() throws { machines = try EpochMachines() }

  @Test(arguments: [[:], ["genesis": [1, 2, 3]]])
  func `A merge that names a foreign commit first ends no epoch, and stops no sync`(files: [String: [UInt8]]) throws {
    let tip = remote.tip
    try machines.commit(["closed": [4, 5, 6]], to: "vault-1")
    let tree = try remote.git("rev-parse", "vault-1^{tree}")
    let names = try machines.files(of: "vault-1").filter { $0 != "closed" && files[$0] == nil }
    let empty = names.reduce(into: files.mapValues(Optional.some)) { $0[$1] = .some(nil) }
    try machines.commit(empty, to: "foreign", from: "vault-1")
    let merge = try remote.git("commit-tree", "-m", "x", "-p", "foreign", "-p", tip, tree)
    try remote.git("update-ref", "-d", "refs/heads/foreign")
    try remote.git("update-ref", "refs/heads/vault-1", merge)
    // A new machine meets it first.
    let third = try Machine()
    let clone = try third.run(
      "coffer", "clone", "--name", "third", "--no-passphrase", "--vault-key-file", machines.two.key, remote.path)
    #expect(try clone.errors.contains("a file closed that is not valid") && third.storedValues() == all, "\(clone)")
    try machines.sync(desktop, third)
    #expect(try !machines.files(of: "vault-1").contains("closed") && desktop.status("epoch") == "1")
  }

  @Test func `A snapshot that lacks a record is completed by a machine that has it`() throws {
    try machines.beginDishonestEpoch(alterEntries: { Array($0.dropLast()) })
    let problems = try machines.problems(desktop)
    #expect(problems.contains("a snapshot of laptop that lacks 1 current versions of items"), "\(problems)")
    try machines.sync(desktop)
    // Each machine that has the record notices it once.
    #expect(try machines.problems(laptop).contains("lacks 1 current versions of items"))
    try machines.sync(laptop)
    let third = try machines.clone(named: "third")
    try machines.expect(all, on: third)
    try machines.sync(desktop)
    #expect(try desktop.storedValues() == all)
  }

  @Test func `A record of a snapshot that its author did not sign is ignored and replaced`() throws {
    try machines.beginDishonestEpoch(alterEntries: { entries in
      guard case .record(var bytes)? = entries.last else { return entries }
      // The signature is the end of the first of three parts.
      let count = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
      bytes[4 + count - 1] ^= 1
      return entries.dropLast() + [.record(bytes)]
    })
    let third = try machines.clone(named: "third")
    #expect(try third.storedValues().count == 1)
    let problems = try machines.problems(desktop)
    #expect(problems.contains("a record in the snapshot of laptop is ignored"), "\(problems)")
    #expect(problems.contains("lacks 1 current versions"), "\(problems)")
    try machines.sync(desktop, third)
    #expect(try third.storedValues() == all)
  }

  @Test func `A version without contents that supersedes nothing hides no item`() throws {
    try machines.beginDishonestEpoch(alterEntries: { entries in
      entries.map { entry in
        guard case .record(let bytes) = entry, let record = try? Record(bytes: bytes) else { return entry }
        return .skeleton(record.signedBytes)
      }
    })
    let third = try machines.clone(named: "third")
    #expect(try third.storedValues().isEmpty)
    #expect(try machines.problems(desktop).contains("lacks 2 current versions"))
    try machines.sync(desktop, third)
    #expect(try third.storedValues() == all)
  }

  @Test func `A checkpoint that contradicts a stream is refused with the name of its author, and nothing changes`()
    throws
  {
    try machines.beginDishonestEpoch(alterStreams: { streams in
      streams.map { stream in
        CoveredStream(
          position: StreamPosition(
            stream: stream.position.stream, number: 0, hash: SegmentHash(Hash.digest([1], domain: .segment))),
          device: stream.device)
      }
    })
    let problems = try machines.problems(desktop)
    #expect(problems.contains("the checkpoint of laptop names another segment 0"), "\(problems)")
    #expect(try desktop.storedValues() == all && desktop.status("epoch") == "1")
  }

  @Test func `A checkpoint that gives streams to another machine is named, and no item is lost`() throws {
    let other = DeviceID(
      vault: try desktop.local.membership().vault, keys: try desktop.local.deviceFile().keys.publicKeys)
    try machines.beginDishonestEpoch(alterStreams: { streams in
      streams.map { CoveredStream(position: $0.position, device: other) }
    })
    let problems = try machines.problems(desktop)
    #expect(
      problems.contains("has a checkpoint of laptop in which stream ")
        && problems.contains(" is that of desktop, and here it is that of laptop: the items of both are kept"),
      "\(problems)")
    #expect(try desktop.storedValues() == all && desktop.status("epoch") == "2")
    try machines.sync(desktop)
    try machines.expect(all, on: desktop)
  }

  @Test func `A closing of a member or of nobody is reported, ignored and removed`() throws {
    let member = try Machine()
    try member.coffer(
      "clone", "--member", "--app", app, "--name", "ci", "--no-passphrase", "--vault-key-file", machines.two.key,
      remote.path)
    try machines.sync(laptop, desktop)
    try machines.beginDishonestEpoch(signer: member)
    let squatted = try remote.git("for-each-ref", "--format=%(objectname)", "refs/heads/vault-2-*")
      .trimmingCharacters(in: .newlines)
    // The file is removed with the next push, and the branch deleted.
    try desktop.set("pushed", "1")
    let problems = try machines.problems(desktop)
    #expect(problems.contains("that the machine ci has begun, which must not do that"), "\(problems)")
    #expect(try machines.branches() == ["vault-1"])
    #expect(problems.contains("a file closed that is not valid: the machine that signed it is not an admin's"))
    #expect(try desktop.status("epoch") == "1" && !machines.files(of: "vault-1").contains("closed"))
    for _ in 0..<2 {
      try machines.commit(["closed": [1, 2, 3]], to: "vault-1")
      let problems = try machines.problems(laptop)
      #expect(problems.contains("a file closed that is not valid") && !problems.contains("set back"), "\(problems)")
      #expect(try !machines.files(of: "vault-1").contains("closed"))
    }
    try laptop.set("pushed", "2")
    try machines.sync(laptop, desktop)
    // Copied to another name, the squatted branch does not prevent an honest epoch, even if it is looked at first.
    try remote.git("update-ref", "refs/heads/vault-2-ffffffffffffffff", squatted)
    let compact = try laptop.run("coffer", "compact")
    #expect(
      compact.exitCode == 6 && compact.errors.contains("vault-2-ffffffffffffffff that cannot be followed"), "\(compact)"
    )
    try machines.sync(desktop)
    #expect(try desktop.status("epoch") == "2")
    try machines.expect(all.merging(["pushed": "2"]) { $1 }, on: laptop, desktop)
  }

  @Test func `Branches that somebody plants mislead no machine and no clone`() throws {
    try machines.commit(["opened": [1], "snapshot/0": [2]], to: "vault-9-00000000000000ff", from: "vault-1")
    try machines.commit(["genesis": [1]], to: "vault-8-00000000000000ff", from: "vault-1")
    let sealed = Envelope(sealing: [1], as: .closing, key: .random(), generation: 1).bytes
    try machines.commit(["opened": sealed], to: "vault-7-00000000000000ff", from: "vault-1")
    let clone = try Machine()
    let outcome = try clone.run(
      "coffer", "clone", "--name", "clone", "--no-passphrase", "--vault-key-file", machines.two.key, remote.path)
    #expect(outcome.exitCode == 0 && outcome.errors.contains("vault-7-00000000000000ff"), "\(outcome)")
    #expect(try clone.storedValues() == all && clone.status("epoch") == "1")
    // The clone has deleted the branch that looked as if it was begun, and those that no machine of the vault has made.
    #expect(try machines.branches() == ["vault-1"])
    try laptop.coffer("compact")
    try machines.sync(desktop)
    #expect(try desktop.status("epoch") == "2")
    try machines.sync(desktop, laptop)
  }

  @Test func `A chunk that the host alters, withholds or replays is refused until it is right`() throws {
    let copy = try TwoMachines(copying: machines.two)
    try copy.laptop.set("another", "1")
    try copy.laptop.coffer("compact", "--keep")
    try laptop.coffer("compact", "--keep")
    let branch = try #require(try machines.branches().last)
    let genuine = try machines.bytes(of: "snapshot/0", at: branch)
    // The other snapshot is sealed under the same key.
    let replayed = try #require(
      try copy.remote.git("for-each-ref", "--format=%(refname:short)", "refs/heads/vault-2-*").split(separator: "\n")
        .first)
    let harms: [[UInt8]?] = [
      nil, genuine.dropLast(), try machines.bytes(of: "checkpoints/2", at: branch),
      try machines.bytes(of: "snapshot/0", at: String(replayed), in: copy.remote),
    ]
    for harm in harms {
      try machines.commit(["snapshot/0": harm], to: branch)
      try remote.forgetHistory(of: branch)
      let problems = try machines.problems(desktop)
      #expect(problems.contains("a branch \(branch) that cannot be followed"), "\(problems)")
      #expect(try desktop.status("epoch") == "1" && desktop.storedValues() == all)
      try machines.commit(["snapshot/0": genuine], to: branch)
    }
    try machines.sync(desktop)
    try machines.expect(all, on: desktop)
  }

  @Test func `A checkpoint of an earlier epoch is not followed again, and a lost branch is restored`() throws {
    try laptop.coffer("compact", "--keep")
    try machines.sync(desktop)
    let second = try #require(try machines.branches().last)
    try laptop.set("later", "3")
    try laptop.coffer("compact", "--keep")
    try machines.sync(desktop)
    let third = try #require(try machines.branches().last)
    #expect(second != third && EpochBranch(name: third)?.epoch == 3)
    // The host shows the epoch before under the name of the next one, and loses this one.
    try remote.git("update-ref", "refs/heads/vault-4-00000000000000aa", second)
    try remote.git("update-ref", "-d", "refs/heads/\(third)")
    let problems = try machines.problems(desktop)
    #expect(problems.contains("has lost the vault's branch \(third); everything is pushed again"), "\(problems)")
    #expect(try desktop.storedValues().count == 3 && desktop.status("epoch") == "3")
    #expect(try machines.branches().contains(third))
    #expect(try machines.problems(laptop).contains("was set back or rewritten"))
    try machines.sync(laptop, desktop)
    let clone = try machines.clone(named: "clone")
    #expect(try clone.storedValues().count == 3 && clone.status("epoch") == "3")
  }

  @Test func `A clone from a host that has lost the branch on which the vault continues says so`() throws {
    try laptop.coffer("compact", "--keep")
    let branch = try #require(try machines.branches().last)
    try remote.git("update-ref", "-d", "refs/heads/\(branch)")
    let machine = try Machine()
    let clone = try machine.run(
      "coffer", "clone", "--name", "new", "--no-passphrase", "--vault-key-file", machines.two.key, remote.path)
    #expect(clone.exitCode == 6 && clone.errors.contains("has lost the branch \(branch)"), "\(clone)")
    #expect(clone.errors.contains("lacks the branch on which the vault continues"), "\(clone)")
    #expect(!FileManager.default.fileExists(atPath: machine.vault.path), "\(clone)")
    // What the problem says ends it: the machine that has begun the epoch pushes its branch again.
    #expect(try machines.problems(laptop).contains("has lost the vault's branch \(branch); everything is pushed again"))
    try machines.sync(laptop, self.machines.clone(named: "new"))
  }

  @Test func `A segment that somebody puts in place of one in the snapshot is reported and removed`() throws {
    try laptop.coffer("compact", "--keep")
    try machines.sync(desktop)
    let branch = try #require(try machines.branches().last)
    let path = try #require(try machines.files(of: "vault-1").first { $0.hasPrefix("segments/") })
    try machines.commit([path: try machines.bytes(of: path, at: "vault-1")], to: branch)
    try desktop.set("pushed", "1")
    #expect(try machines.problems(desktop).contains("it is in the snapshot"))
    #expect(try !machines.files(of: branch).contains(path))
    try machines.sync(laptop, desktop)
    try machines.expect(all.merging(["pushed": "1"]) { $1 }, on: laptop, desktop)
  }

  @Test func `A store that has lost its checkpoint takes no other one of an admin, and takes its own again`() throws {
    try laptop.coffer("compact")
    try machines.sync(desktop)
    let branch = try #require(machines.branches().first)
    let (device, path) = (try laptop.local.deviceFile(), "checkpoints/2")
    let key = try #require(device.transportKeys.last)
    let genuine = try machines.bytes(of: path, at: branch)
    let checkpoint = try Checkpoint(bytes: Envelope(bytes: genuine).open(with: key.key))
    let other = Checkpoint(
      vault: checkpoint.vault, epoch: 2, after: .beforeFirst, log: checkpoint.log, time: checkpoint.time, streams: [],
      chunks: checkpoint.chunks, device: checkpoint.device, key: device.keys.signing)
    try Command.run(
      "sqlite3", desktop.vault.appending(path: "store.sqlite").path, "DELETE FROM object WHERE kind = 'checkpoint'")
    let sealed = Envelope(sealing: other.bytes, as: .checkpoint, key: key.key, generation: key.generation).bytes
    for _ in 0..<2 {
      try machines.commit([path: sealed], to: branch)
      let problems = try machines.problems(desktop)
      #expect(problems.contains("a checkpoint 2 that is not valid: it is not the one with which this epoch began"))
      #expect(try desktop.local.store.read { try $0.objects(.checkpoint).isEmpty })
      #expect(try desktop.storedValues() == all)
    }
    try machines.commit([path: genuine], to: branch)
    for _ in 0..<2 { _ = try desktop.run("coffer", "sync") }
    #expect(try desktop.local.store.read { try $0.object(.checkpoint(2)) } == checkpoint.bytes)
    try machines.sync(desktop, laptop)
    try machines.expect(all, on: desktop, laptop)
    #expect(try machines.bytes(of: path, at: branch) == genuine)
  }
}
