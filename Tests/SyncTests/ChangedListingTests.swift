import CofferExchange
import CofferPlatform
import CofferSystem
import CofferTestSupport
import CofferVault
import Foundation
import Logging
import Testing

/// Branches of epochs that change while a sync runs, which lists them twice: other machines end an epoch whenever they
/// want, and a host is not to blame for it.
@Suite struct ChangedListingTests {
  private let machines: EpochMachines
  private var remote: TemporaryRemote { machines.remote }
  private var laptop: Machine { machines.laptop }
  private var desktop: Machine { machines.desktop }

  init() throws { machines = try EpochMachines() }

  /// Syncs a machine, and runs `change` when it has fetched its branch, before it looks at the others.
  private func sync(_ machine: Machine, while change: @escaping () throws -> Void) throws -> SyncReport {
    // The observer is called on this thread, which runs the sync.
    nonisolated(unsafe) var outcome: Result<Void, any Error>?
    nonisolated(unsafe) let change = change
    let report = try FaultPoint.withObserver { point in
      if point == .remoteFetched, unsafe outcome == nil { unsafe outcome = Result { try unsafe change() } }
    } _: {
      try Synchronizer(machine.local, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }).run()
    }
    try unsafe #require(outcome).get()
    return report
  }

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
    let report = try sync(desktop) {
      try remote.git("update-ref", "refs/heads/vault-1", end)
      try remote.git("update-ref", "refs/heads/\(next)", tip)
    }
    #expect(report.problems.isEmpty, "\(report.problems.map(\.message))")
    try machines.sync(desktop, laptop)
    try machines.expect(["kept": "1", "changed": "old"], on: laptop, desktop)
    #expect(try desktop.status("epoch") == "2")
  }

  @Test func `If the only branch is deleted for a later one while a sync reads it, that sync follows the later one`()
    throws
  {
    try laptop.coffer("compact")
    let report = try sync(desktop) { try laptop.coffer("compact") }
    #expect(report.problems.isEmpty, "\(report.problems.map(\.message))")
    #expect(try machines.branches().map { $0.prefix(8) } == ["vault-3-"])
    #expect(try desktop.status("epoch") == "3")
    try machines.sync(desktop, laptop)
    try machines.expect(["kept": "1", "changed": "old"], on: laptop, desktop)
  }

  @Test func `The branch on which the vault continues is not called lost if it is deleted for a later one meanwhile`()
    throws
  {
    try laptop.coffer("compact", "--keep")
    let report = try sync(desktop) { try laptop.coffer("compact") }
    #expect(report.problems.isEmpty, "\(report.problems.map(\.message))")
    #expect(try desktop.status("epoch") == "3")
    try machines.sync(desktop, laptop)
    try machines.expect(["kept": "1", "changed": "old"], on: laptop, desktop)
  }

  @Test func `Who has begun an epoch does not bring its branch back while others end a later one`() throws {
    try laptop.kill("coffer", ["compact", "--keep"], at: FaultStep(point: .epochOpened, occurrence: 1))
    try machines.sync(desktop)
    try desktop.coffer("compact")
    let report = try sync(laptop) { try desktop.coffer("compact") }
    #expect(report.problems.isEmpty, "\(report.problems.map(\.message))")
    #expect(try machines.branches().map { $0.prefix(8) } == ["vault-1", "vault-4-"])
    #expect(try laptop.status("epoch") == "4")
    try machines.sync(laptop, desktop)
    try machines.expect(["kept": "1", "changed": "old"], on: laptop, desktop)
  }
}
