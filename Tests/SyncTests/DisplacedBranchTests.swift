import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// Branches of epochs that a host, or whoever may push, sets back, deletes or alters: machines must meet again, and
/// nobody may continue alone on a branch of the past.
@Suite struct DisplacedBranchTests {
  private let machines: EpochMachines
  private var remote: TemporaryRemote { machines.remote }
  private var laptop: Machine { machines.laptop }
  private var desktop: Machine { machines.desktop }
  private let all = ["kept": "1", "changed": "old"]

  init() throws { machines = try EpochMachines() }

  /// The branch of the latest epoch.
  private func latest() throws -> String { try #require(try machines.branches().last) }

  enum Displacement: String, CaseIterable, CustomTestStringConvertible {
    case branchOfThePast = "the branch of the past is there again"
    case endTakenBack = "somebody takes the end of the epoch back"
    case latestHidden = "the branch of the new epoch is hidden for a while"
    var testDescription: String { rawValue }
  }

  @Test(arguments: TestRun.rows(Displacement.allCases))
  func `A machine that is kept on an ended epoch follows the vault at its second sync, and nothing is lost`(
    displacement: Displacement
  ) throws {
    let past = try remote.git("rev-parse", "vault-1").trimmingCharacters(in: .newlines)
    try laptop.coffer("compact", "--keep")
    let next = try latest()
    let tip = try remote.git("rev-parse", next).trimmingCharacters(in: .newlines)
    switch displacement {
    case .branchOfThePast: try remote.git("update-ref", "refs/heads/vault-1", past)
    case .endTakenBack: try machines.commit(["closed": nil], to: "vault-1")
    case .latestHidden:
      try remote.git("update-ref", "-d", "refs/heads/\(next)")
      try remote.git("update-ref", "-d", "refs/heads/vault-1")
    }
    try desktop.set("apart", "2")
    _ = try desktop.run("coffer", "sync")
    #expect(try desktop.status("epoch") == "1" && remote.git("log", "-1", "--format=%H", "vault-1") != past)
    try remote.git("update-ref", "refs/heads/\(next)", tip)
    if displacement == .latestHidden { try machines.sync(desktop) }
    let problems = try machines.problems(desktop)
    #expect(problems.contains("has shown the branch vault-1 without its end"), "\(problems)")
    #expect(try desktop.status("epoch") == "2")
    try machines.sync(desktop, laptop, desktop)
    try machines.expect(all.merging(["apart": "2"]) { $1 }, on: laptop, desktop)
    let third = try machines.clone(named: "third")
    #expect(try third.status("epoch") == "2" && third.storedValues().count == 3)
  }

  @Test(arguments: ["vault-1", "of the same epoch"])
  func `A second name for the latest branch keeps nobody on a branch of the past`(name: String) throws {
    try laptop.coffer("compact")
    try machines.sync(desktop)
    let past = try latest()
    let commit = try remote.git("rev-parse", past)
    try laptop.coffer("compact")
    let next = try latest()
    let copy = name == "vault-1" ? name : String(next.dropLast()) + (next.hasSuffix("0") ? "1" : "0")
    try remote.git("update-ref", "refs/heads/\(past)", commit)
    try remote.git("update-ref", "refs/heads/\(copy)", next)
    try desktop.set("apart", "2")
    _ = try desktop.run("coffer", "sync")
    let problems = try machines.problems(desktop)
    #expect(problems.contains("has shown the branch \(past) without its end"), "\(problems)")
    #expect(try desktop.status("epoch") == "3")
    try machines.sync(desktop, laptop, desktop)
    try machines.expect(all.merging(["apart": "2"]) { $1 }, on: laptop, desktop)
  }

  @Test func `Who was stopped while it began an epoch does not delete its branch because another name has its commit`()
    throws
  {
    try laptop.kill("coffer", ["compact"], at: FaultStep(point: .epochClosed, occurrence: 1))
    let (next, past) = (try latest(), try remote.git("rev-parse", "vault-1~1"))
    let begun = try remote.git("rev-parse", next)
    try machines.sync(desktop)
    let opened = try remote.git("rev-parse", next)
    try #require(opened != begun)
    try remote.git("update-ref", "refs/heads/vault-1", past)
    try remote.git("update-ref", "refs/heads/\(next)", begun)
    try remote.git("update-ref", "refs/heads/\(String(next.dropLast()) + (next.hasSuffix("0") ? "1" : "0"))", opened)
    _ = try laptop.run("coffer", "sync")
    try #require(try laptop.status("epoch") == "1")
    try machines.commit([:], to: "vault-1")
    try remote.git("update-ref", "refs/heads/\(next)", opened)
    _ = try laptop.run("coffer", "sync")
    #expect(try machines.branches().contains(next))
    try machines.sync(laptop, desktop, laptop)
    try machines.expect(all, on: laptop, desktop)
    #expect(try laptop.status("epoch") == "2" && desktop.status("epoch") == "2")
  }

  @Test(arguments: TestRun.rows(["branch", "snapshot/0", "checkpoints/2"]))
  func `What the host takes from a new branch that nobody has followed is pushed again by the machine that began it`(
    harm: String
  ) throws {
    try desktop.set("unsent", "2")
    try laptop.kill("coffer", ["compact"], at: FaultStep(point: .epochClosed, occurrence: 1))
    let next = try latest()
    if harm == "branch" {
      try remote.git("update-ref", "-d", "refs/heads/\(next)")
    } else {
      try machines.commit([harm: nil], to: next)
    }
    let problems = try machines.problems(desktop)
    #expect(problems.contains(harm == "branch" ? "has lost the branch \(next)" : "has lost \(harm)"), "\(problems)")
    // A file is still in the history of the branch.
    #expect(try desktop.status("epoch") == (harm == "branch" ? "1" : "2") && desktop.storedValues().count == 3)
    _ = try laptop.run("coffer", "sync")
    try machines.sync(laptop, desktop, laptop)
    try machines.expect(all.merging(["unsent": "2"]) { $1 }, on: laptop, desktop)
    #expect(try desktop.status("epoch") == "2" && machines.branches().last == next)
  }

  @Test func `Who was stopped while it began an epoch, which others have ended since, brings its branch back no more`()
    throws
  {
    try laptop.kill("coffer", ["compact"], at: FaultStep(point: .epochClosed, occurrence: 1))
    try machines.sync(desktop)
    try desktop.set("later", "2")
    try desktop.coffer("compact")
    let branches = try machines.branches()
    #expect(branches.count == 2 && branches[0] == "vault-1" && branches[1].hasPrefix("vault-3-"))
    try laptop.set("apart", "3")
    try machines.sync(laptop, desktop, laptop)
    #expect(try machines.branches() == [branches[1]])
    try machines.expect(all.merging(["later": "2", "apart": "3"]) { $1 }, on: laptop, desktop)
  }

  @Test func `Files that are no entries of the log keep neither an absent machine nor a clone from a later epoch`()
    throws
  {
    try laptop.coffer("compact")
    try machines.commit(["log/0/60": [1], "log/0/3": nil], to: latest())
    #expect(try machines.problems(desktop).contains("a log entry 60 that is not valid"))
    #expect(try desktop.status("epoch") == "2")
    try desktop.set("pushed", "1")
    _ = try desktop.run("coffer", "sync")
    #expect(try !machines.files(of: latest()).contains("log/0/60") && machines.files(of: latest()).contains("log/0/3"))
    let clone = try machines.clone(named: "clone")
    #expect(try clone.storedValues().count == 3)
    try machines.sync(laptop, desktop)
    try machines.expect(all.merging(["pushed": "1"]) { $1 }, on: laptop, desktop)
  }

  @Test func `A clone that cannot follow the latest epoch creates no branch of the past`() throws {
    try laptop.coffer("compact")
    let next = try latest()
    let snapshot = try machines.bytes(of: "snapshot/0", at: next)
    try machines.commit(["snapshot/0": nil], to: next)
    try remote.forgetHistory(of: next)
    let clone = try Machine()
    let outcome = try clone.run(
      "coffer", "clone", "--name", "clone", "--no-passphrase", "--vault-key-file", machines.two.key, remote.path)
    #expect(outcome.exitCode != 0 && outcome.errors.contains("it lacks snapshot/0"), "\(outcome)")
    #expect(try machines.branches() == [next])
    try machines.commit(["snapshot/0": snapshot], to: next)
    let second = try machines.clone(named: "second")
    #expect(try second.storedValues() == all)
  }

  @Test func `An admin that was removed cannot lead an absent machine or a clone away`() throws {
    let absent = try machines.clone(named: "absent")
    try machines.sync(laptop, desktop)
    let copy = try TwoMachines(copying: machines.two)
    for _ in 0..<2 { try copy.desktop.coffer("compact", "--keep") }
    let rogue = try #require(
      try copy.remote.git("for-each-ref", "--format=%(refname)", "refs/heads/vault-3-*").split(separator: "\n").first)
    try laptop.coffer("device", "revoke", "desktop", "--vault-key-file", machines.two.key, "--yes")
    try laptop.set("later", "3")
    try laptop.coffer("compact")
    let genuine = try latest()
    try remote.git("fetch", "--quiet", copy.remote.path, "\(rogue):\(rogue)")
    let problems = try machines.problems(absent)
    #expect(problems.contains("has begun, which must not do that"), "\(problems)")
    try machines.sync(absent)
    let values = all.merging(["later": "3"]) { $1 }
    try machines.expect(values, on: absent)
    #expect(try absent.status("epoch") == "2" && machines.branches().contains(genuine))
  }

  @Test func `A branch that is lost is restored beside planted ones, which are fetched once`() throws {
    try laptop.coffer("compact")
    try machines.sync(desktop)
    let genuine = try latest()
    for number in 3..<15 {
      try machines.commit(["opened": [UInt8(number)]], to: "vault-\(number)-00000000000000aa", from: genuine)
    }
    try remote.git("update-ref", "-d", "refs/heads/\(genuine)")
    #expect(try machines.problems(desktop).contains("everything is pushed again"))
    #expect(try machines.branches().contains(genuine))
    _ = try laptop.run("coffer", "sync")
    try machines.sync(laptop, desktop)
    try machines.expect(all, on: laptop, desktop)
  }
}
