import CofferSystem
import CofferTestSupport
import Testing

/// A machine that was stopped after it had opened the branch of the next epoch, and before it followed that branch, as
/// other machines do.
@Suite struct OpenedEpochTests {
  private let machines: EpochMachines
  private var remote: TemporaryRemote { machines.remote }
  private var laptop: Machine { machines.laptop }
  private var desktop: Machine { machines.desktop }
  /// The commit of the first epoch's branch before its end.
  private let first: String
  /// The branch of the second epoch, and its commit.
  private let next: String
  private let tip: String
  /// A machine that has not followed it.
  private let tablet: Machine

  init() throws {
    machines = try EpochMachines()
    tablet = try machines.clone(named: "tablet")
    try machines.sync(machines.laptop)
    first = try machines.remote.git("rev-parse", "refs/heads/vault-1")
    try machines.laptop.kill("coffer", ["compact"], at: FaultStep(point: .epochOpened, occurrence: 1))
    try machines.desktop.set("followed", "1")
    try machines.sync(machines.desktop)
    next = try #require(try machines.branches().last)
    tip = try machines.remote.git("rev-parse", next)
    try #require(next != "vault-1")
    try machines.laptop.set("unsent", "1")
  }

  private func expectAll(_ others: [String: String] = [:]) throws {
    try machines.sync(desktop, laptop)
    let values = ["kept": "1", "changed": "old", "followed": "1", "unsent": "1"].merging(others) { $1 }
    try machines.expect(values, on: laptop, desktop)
  }

  @Test func `It follows its branch if the one before was deleted meanwhile, and blames nobody`() throws {
    try remote.git("update-ref", "-d", "refs/heads/vault-1")
    try machines.sync(laptop)
    #expect(try machines.branches() == [next])
    try expectAll()
  }

  @Test func `It does not delete its branch if the host hides the end of the one before, and says so`() throws {
    try remote.git("update-ref", "refs/heads/vault-1", first)
    // The branch before goes on after the commit at which the laptop has ended it.
    try tablet.set("late", "1")
    try tablet.sync()
    try laptop.sync()
    #expect(try machines.branches() == ["vault-1", next])
    #expect(try remote.git("rev-parse", next) == tip)
    let problems = try machines.problems(laptop)
    #expect(problems.contains("has shown the branch vault-1 without its end"), "\(problems)")
    try expectAll(["late": "1"])
  }

  @Test func `It does not delete its branch after another machine has ended that epoch and keeps it`() throws {
    try desktop.coffer("compact", "--keep")
    try machines.sync(laptop)
    #expect(try machines.branches().first == next && machines.branches().count == 2)
    try expectAll()
  }
}
