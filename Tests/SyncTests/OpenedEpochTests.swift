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

  /// Leaves only a branch that no machine can follow without what is in the laptop's cache.
  private func takeSnapshotAway() throws {
    try remote.git("update-ref", "-d", "refs/heads/vault-1")
    try machines.commit(["snapshot/0": nil], to: next)
    try remote.forgetHistory(of: next)
  }

  @Test func `It follows its branch also if nobody else can any more, and pushes what the branch has lost`() throws {
    try takeSnapshotAway()
    let blocked = try machines.problems(tablet)
    #expect(blocked.contains("nothing is sent until one of them can be used"), "\(blocked)")
    #expect(try tablet.status("epoch") == "1" && machines.branches() == [next])
    // The advice of that problem: the laptop has begun the branch.
    let problems = try machines.problems(laptop)
    #expect(problems.contains("has lost snapshot/0"), "\(problems)")
    #expect(try machines.files(of: next).contains("snapshot/0"))
    try machines.sync(tablet)
    #expect(try machines.problems(desktop).contains("was set back or rewritten"))
    try expectAll()
    #expect(try tablet.status("epoch") == "2" && machines.branches() == [next])
  }

  @Test func `A branch that nobody can follow is deleted on the host, and everything is there again`() throws {
    try takeSnapshotAway()
    _ = try machines.problems(tablet)
    try remote.git("update-ref", "-d", "refs/heads/\(next)")
    let problems = try machines.problems(tablet)
    #expect(problems.contains("everything is pushed again"), "\(problems)")
    // The desktop pushes the branch again that it follows. The others follow it when they see it a second time.
    for machine in [desktop, laptop, tablet, laptop, tablet] { _ = try machine.run("coffer", "sync") }
    try machines.sync(laptop, tablet)
    try expectAll()
    try machines.expect(["kept": "1", "changed": "old", "followed": "1", "unsent": "1"], on: tablet)
  }
}
