import CofferFormat
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// A change of membership that reaches the remote second: it is made anew on top of the first, or refused with what the
/// first has changed. Two admins make them on two machines.
@Suite struct ConcurrentChangeTests {
  /// The machines before every pair. Made once.
  // Safe, because tests only copy the folders, and the value itself never changes.
  nonisolated(unsafe) private static let machines = Result {
    let machines = try MemberMachines()
    machines.deleteAtExit()
    return machines
  }

  @Test(arguments: TestRun.rows(ConcurrentChange.allCases, ordinarily: 1))
  func `The second of two changes is made anew on top of the first, or refused with what changed`(
    first: ConcurrentChange
  ) throws {
    let suite = try unsafe MemberMachines(copying: Self.machines.get())
    let before = suite.remote.tip
    let outcome = try first.make(by: suite.laptop, named: "laptop", suite)
    #expect(outcome.exitCode == 0, "\(outcome)")
    if first == .enrol { try suite.sync(suite.laptop) }
    #expect(try first.isDone(by: "laptop", in: suite.laptop.local.membership()))
    for second in ConcurrentChange.allCases {
      do {
        try expect(second, after: first, in: MemberMachines(copying: suite), before: before)
      } catch {
        Issue.record(error, "\(first) before \(second)")
      }
    }
  }

  /// Lets the desktop make a change while it does not know that of the laptop.
  ///
  /// - Parameters:
  ///   - second: The change.
  ///   - first: The change of the laptop.
  ///   - suite: The machines after the first change, of which only the laptop and the remote know.
  ///   - before: The tip of the remote before it.
  /// - Throws: Errors of the programs, and of reading the vaults.
  private func expect(
    _ second: ConcurrentChange, after first: ConcurrentChange, in suite: MemberMachines, before: String
  ) throws {
    let pair = "\(first) before \(second)"
    let (tip, head) = (suite.remote.tip, try suite.laptop.local.membership().head)
    // The second program sees the remote without the first change until it pushes its own.
    try suite.remote.serve(before)
    try suite.remote.prefer(tip)
    let outcome = try second.make(by: suite.desktop, named: "desktop", suite)
    suite.remote.expectRaced()
    let refusal = second.refusal(after: first)
    #expect((outcome.exitCode == 0) == (refusal == nil), "\(pair): \(outcome)")
    if let refusal { #expect(outcome.errors.contains(refusal.words), "\(pair): \(outcome)") }
    let isSecondDone = refusal?.isDone ?? true

    let removed = [
      first == .revokeAdmin ? "desktop" : nil, second == .revokeAdmin && isSecondDone ? "laptop" : nil,
      first == .revokeMember || second == .revokeMember && isSecondDone ? "ci" : nil,
    ]
    let machines = [("laptop", suite.laptop), ("desktop", suite.desktop), ("ci", suite.member)].filter {
      !removed.contains($0.0)
    }
    // Two rounds, so that everybody has what the others say of a revocation.
    for _ in 0..<2 { for (_, machine) in machines { try machine.sync() } }
    var heads: Set<LogPosition> = []
    for (name, machine) in machines {
      let local = try machine.local
      let membership = try local.membership()
      heads.insert(membership.head)
      #expect(try local.fork() == nil, "\(pair) on \(name)")
      let entry = try local.store.read { try $0.logEntry(head.sequence).map { try LogEntry(bytes: $0.entry) } }
      #expect(entry?.position == head, "\(pair) on \(name): the first change stays as it was")
      let count = first == .enrol ? 2 : 1
      #expect(second.isDone(by: "desktop", in: membership, count: count) == isSecondDone, "\(pair) on \(name)")
    }
    #expect(heads.count == 1, "\(pair)")
    let verification = try machines[0].1.run("coffer", "log", "--verify")
    #expect(verification.exitCode == 0, "\(pair): \(verification)")
  }
}
