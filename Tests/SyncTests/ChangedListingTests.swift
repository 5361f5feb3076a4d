import CofferExchange
import CofferGit
import CofferPlatform
import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation
import Logging
import Testing

/// Branches of epochs that change while a sync runs, which lists them more than once: other machines end an epoch
/// whenever they want, and a host is not to blame for it.
@Suite struct ChangedListingTests {
  private let machines: EpochMachines
  private var remote: TemporaryRemote { machines.remote }
  private var laptop: Machine { machines.laptop }
  private var desktop: Machine { machines.desktop }
  private let all = ["kept": "1", "changed": "old"]

  init() throws { machines = try EpochMachines() }

  /// Syncs a machine, and runs `change` before each fetch, with its number from 1: the first one brings the machine's
  /// own branch, and the second one those of other epochs.
  private func sync(_ machine: Machine, beforeFetch change: @escaping (Int) throws -> Void) throws -> SyncReport {
    let link = try RacedLink(machine, to: remote, change: change)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let report = try Synchronizer(machine.local, access: link.access, logger: logger).run()
    if let failure = link.failure { throw failure }
    return report
  }

  /// Syncs a machine while others change something once, before the fetch with a number.
  private func sync(_ machine: Machine, before number: Int, _ change: @escaping () throws -> Void) throws -> SyncReport
  {
    try sync(machine) { if $0 == number { try change() } }
  }

  private func expectNoProblems(_ report: SyncReport, location: SourceLocation = #_sourceLocation) {
    #expect(report.problems.isEmpty, "\(report.problems.map(\.message))", sourceLocation: location)
  }

  /// Adds branches of later epochs that no machine has made.
  private func addBranches(_ numbers: Range<Int>) throws {
    let commit = try remote.git("commit-tree", "-m", "x", remote.git("mktree", "--missing"))
    for number in numbers { try remote.git("update-ref", "refs/heads/\(name(number))", commit) }
  }

  private let notOurs = GitError(.protocolError, "not our ref", context: "the test")

  private func name(_ number: Int) -> String { "vault-900-\(String(format: "%016x", number + 1))" }

  @Test func `A branch that is opened while a sync reads it is followed by the next one, and the host is not blamed`()
    throws
  {
    let before = try remote.git("rev-parse", "vault-1")
    try laptop.kill("coffer", ["compact"], at: FaultStep(point: .epochOpened, occurrence: 1))
    let next = try #require(try machines.branches().last)
    let (end, tip) = (try remote.git("rev-parse", "vault-1"), try remote.git("rev-parse", next))
    // What the remote had before: the next epoch's branch with other commits, and then as it was before it was opened.
    try remote.git("update-ref", "refs/heads/vault-1", before)
    try machines.commit([:], to: next, from: "\(next)~1")
    try machines.sync(desktop)
    try remote.git("update-ref", "refs/heads/\(next)", "\(tip)~1")
    expectNoProblems(
      try sync(desktop, before: 2) {
        try remote.git("update-ref", "refs/heads/vault-1", end)
        try remote.git("update-ref", "refs/heads/\(next)", tip)
      })
    try machines.sync(desktop, laptop)
    try machines.expect(all, on: laptop, desktop)
    #expect(try desktop.status("epoch") == "2")
  }

  @Test(arguments: [false, true])
  func `If a branch is deleted for a later one while a sync reads it, that sync follows the later one`(
    keepsBranch: Bool
  ) throws {
    _ = try keepsBranch ? laptop.coffer("compact", "--keep") : laptop.coffer("compact")
    expectNoProblems(try sync(desktop, before: 2) { try laptop.coffer("compact") })
    #expect(try machines.branches().map { $0.prefix(8) } == (keepsBranch ? ["vault-1"] : []) + ["vault-3-"])
    #expect(try desktop.status("epoch") == "3")
    try machines.sync(desktop, laptop)
    try machines.expect(all, on: laptop, desktop)
  }

  @Test func `The branch of the next epoch is not called lost if others end that epoch, too, before it is fetched`()
    throws
  {
    try laptop.kill("coffer", ["compact", "--keep"], at: FaultStep(point: .epochClosed, occurrence: 1))
    expectNoProblems(
      try sync(desktop, before: 3) {
        try laptop.sync()
        try laptop.coffer("compact")
      })
    #expect(try desktop.status("epoch") == "3")
    try machines.sync(desktop, laptop)
    try machines.expect(all, on: laptop, desktop)
  }

  @Test func `Who has begun an epoch does not bring its branch back while others end a later one`() throws {
    try laptop.kill("coffer", ["compact", "--keep"], at: FaultStep(point: .epochOpened, occurrence: 1))
    try machines.sync(desktop)
    try desktop.coffer("compact")
    expectNoProblems(try sync(laptop, before: 2) { try desktop.coffer("compact") })
    #expect(try machines.branches().map { $0.prefix(8) } == ["vault-1", "vault-4-"])
    #expect(try laptop.status("epoch") == "4")
    try machines.sync(laptop, desktop)
    try machines.expect(all, on: laptop, desktop)
  }

  @Test func `Who has begun an epoch does not bring its branch back as long as a later one was not read`() throws {
    try laptop.kill("coffer", ["compact", "--keep"], at: FaultStep(point: .epochClosed, occurrence: 1))
    let begun = try #require(try machines.branches().last)
    try machines.sync(desktop)
    try desktop.coffer("compact")
    let report = try sync(laptop, before: 2) { throw notOurs }
    #expect(report.problems.contains { $0.message.contains("may continue on a branch that was not read") })
    #expect(try !machines.branches().contains(begun))
    // More branches than a sync examines otherwise hide no later epoch either.
    try addBranches(0..<200)
    _ = try laptop.run("coffer", "sync")
    #expect(try laptop.status("epoch") == "3" && !machines.branches().contains(begun))
    try machines.expect(all, on: laptop, desktop)
  }

  @Test func `A branch that is too large to be read does not keep the machine that has begun an epoch from saving it`()
    throws
  {
    try laptop.kill("coffer", ["compact"], at: FaultStep(point: .epochClosed, occurrence: 1))
    let begun = try #require(try machines.branches().last)
    try remote.git("update-ref", "-d", "refs/heads/\(begun)")
    try addBranches(0..<1)
    _ = try sync(laptop, before: 2) { throw GitError(.tooLarge, "too large", context: "the test") }
    #expect(try machines.branches().contains(begun) && laptop.status("epoch") == "2")
    try remote.git("update-ref", "-d", "refs/heads/\(name(0))")
    // It has yet to say what it has found.
    _ = try laptop.run("coffer", "sync")
    try machines.sync(desktop, laptop)
    try machines.expect(all, on: laptop, desktop)
  }

  @Test(arguments: [false, true])
  func `A machine that is new to a remote begins on the latest epoch, also if it cannot read it at once`(
    isUnread: Bool
  ) throws {
    let past = try remote.git("rev-parse", "vault-1")
    try laptop.coffer("compact")
    try laptop.set("later", "2")
    try laptop.sync()
    try remote.git("update-ref", "refs/heads/vault-1", past)
    try addBranches(0..<2)
    let other = remote.directory.path("again.git")
    try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: remote.path)
    try desktop.coffer("remote", "set", other)
    // It lists the branches, brings the first epoch's, and reads the others.
    let report = try sync(desktop, before: 3) {
      if isUnread { throw notOurs }
      try remote.git("update-ref", "-d", "refs/heads/\(name(0))")
    }
    #expect(!report.problems.contains { $0.message.contains("without its end") })
    #expect(try desktop.status("epoch") == "2")
    try machines.expect(all.merging(["later": "2"]) { $1 }, on: desktop)
  }

  @Test func `Nobody keeps a machine from its own branch by branches that come and go`() throws {
    try laptop.set("sent", "2")
    try laptop.sync()
    let report = try sync(desktop) { fetch in
      try addBranches(fetch..<fetch + 1)
      try remote.git("update-ref", "-d", "refs/heads/\(name(fetch - 1))")
    }
    #expect(report.recordsReceived == 1 && report.retryCount == 3)
    try machines.expect(all.merging(["sent": "2"]) { $1 }, on: desktop)
  }

  @Test func `A branch that somebody exchanges while a sync reads it is read by the next one`() throws {
    try laptop.coffer("compact")
    try machines.sync(desktop)
    let past = try #require(try machines.branches().last)
    let commit = try remote.git("rev-parse", past)
    try laptop.coffer("compact")
    let next = try #require(try machines.branches().last)
    let genuine = try remote.git("rev-parse", next)
    try remote.git("update-ref", "refs/heads/\(past)", commit)
    _ = try sync(desktop, before: 2) { try remote.git("update-ref", "refs/heads/\(next)", commit) }
    try remote.git("update-ref", "refs/heads/\(next)", genuine)
    for _ in 0..<2 { _ = try desktop.run("coffer", "sync") }
    #expect(try desktop.status("epoch") == "3")
    try machines.expect(all, on: laptop, desktop)
  }

  @Test func `An entry of the log that arrives between two lists is not called lost`() throws {
    try laptop.kill("coffer", ["compact", "--keep"], at: FaultStep(point: .candidatePushed, occurrence: 1))
    let next = try #require(try machines.branches().last)
    let (begun, known) = (try remote.git("rev-parse", next), try machines.files(of: "vault-1"))
    expectNoProblems(
      try sync(desktop, before: 2) {
        try laptop.coffer("device", "rename", "laptop", "office")
        try laptop.sync()
        let path = try #require(try machines.files(of: "vault-1").first { $0.hasPrefix("log/") && !known.contains($0) })
        try remote.git("update-ref", "refs/heads/\(next)", begun)
        try machines.commit([path: machines.bytes(of: path, at: "vault-1")], to: next)
      })
    try machines.sync(laptop, desktop)
    try machines.expect(all, on: laptop, desktop)
  }

  @Test func `Over HTTP, a branch that is deleted after it was listed spoils nothing`() throws {
    let served = try ServedMachines(.http)
    let machines = EpochMachines(served.two)
    let (laptop, desktop, remote) = (served.laptop, served.desktop, served.remote)
    try laptop.coffer("compact")
    let second = try #require(try machines.branches().last)
    let tip = try remote.git("rev-parse", second)
    try laptop.coffer("compact")
    let third = try #require(try machines.branches().last)
    let later = try remote.git("rev-parse", third)
    try remote.git("update-ref", "refs/heads/\(second)", tip)
    try remote.git("update-ref", "-d", "refs/heads/\(third)")
    try served.beforeFetch(
      """
      rm -f "$STATE/before-fetch"
      git -C '\(remote.path)' update-ref 'refs/heads/\(third)' \(later)
      git -C '\(remote.path)' update-ref -d 'refs/heads/\(second)'
      """)
    try desktop.sync()
    #expect(try desktop.status("epoch") == "3" && desktop.storedValues() == ["kept": "value"])
    // The same with a lane.
    let lane = "refs/heads/lane-\(String(repeating: "0", count: 32))"
    try remote.git("update-ref", lane, remote.git("commit-tree", "-m", "x", "\(third)^{tree}"))
    try served.beforeFetch("rm -f \"$STATE/before-fetch\"; git -C '\(remote.path)' update-ref -d \(lane)")
    try desktop.sync()
  }
}
