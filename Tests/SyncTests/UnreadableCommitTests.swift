import CofferExchange
import CofferGit
import CofferTestSupport
import CofferVault
import Foundation
import Logging
import Testing

/// Commits that are too large to be read. Whoever may push can put one on any branch. It must not keep a machine from
/// syncing, or make it lose what others have.
@Suite struct UnreadableCommitTests {
  private let machines: EpochMachines
  private let host: OddHost
  private var remote: TemporaryRemote { machines.remote }
  private var laptop: Machine { machines.laptop }
  private var desktop: Machine { machines.desktop }
  private let all = ["kept": "1", "changed": "old"]

  init() throws {
    machines = try EpochMachines()
    host = try OddHost(machines.remote)
  }

  /// Sets a branch to a commit with a long message, and the files of `source`. Returns it.
  @discardableResult private func cover(_ branch: String, from source: String, isAfter: Bool = true) throws -> String {
    let commit = """
      tree \(try remote.git("rev-parse", "\(source)^{tree}"))\(
        isAfter ? "\nparent \(try remote.git("rev-parse", source))" : "")
      author x <x@localhost> 0 +0000
      committer x <x@localhost> 0 +0000

      \(String(repeating: "x", count: 70_000))

      """
    let id = try host.write("commit", Data(commit.utf8))
    try remote.git("update-ref", "refs/heads/\(branch)", id)
    return id
  }

  private func expectNamed(_ problem: String, _ machine: Machine) throws {
    let found = try machines.problems(machine)
    #expect(found.contains(problem), "\(found)")
  }

  @Test func `A lane with such a commit is named and deleted, and the sync goes on`() throws {
    let lane = "lane-\(String(repeating: "0", count: 32))"
    try cover(lane, from: "vault-1", isAfter: false)
    try desktop.set("sent", "2")
    try expectNamed("has a lane with a commit that cannot be read", desktop)
    #expect(try remote.git("for-each-ref", "refs/heads/\(lane)").isEmpty)
    try machines.sync(laptop, desktop)
    try machines.expect(all.merging(["sent": "2"]) { $1 }, on: laptop, desktop)
  }

  @Test func `Such a commit on the vault's branch is named, one sync repairs that branch, others can clone`() throws {
    try cover("vault-1", from: "vault-1")
    try desktop.set("sent", "2")
    try expectNamed("nothing of the branch vault-1", desktop)
    try expectNamed("which hides whether its history contains", laptop)
    try machines.sync(desktop, laptop)
    try machines.expect(all.merging(["sent": "2"]) { $1 }, on: laptop, desktop, machines.clone(named: "tablet"))
  }

  @Test(arguments: [false, true])
  func `Such a commit on a later branch does not lead a machine that was away back to its own`(isHidden: Bool) throws {
    try laptop.coffer("compact")
    try laptop.set("later", "2")
    try laptop.sync()
    let branch = try #require(try machines.branches().last)
    let covered = try cover(branch, from: branch)
    if isHidden {
      let tree = try remote.git("mktree", "--missing")
      try remote.git("update-ref", "refs/heads/\(branch)", remote.git("commit-tree", "-m", "x", "-p", covered, tree))
    }
    try expectNamed("may continue on a branch that was not read", desktop)
    #expect(try machines.branches() == [branch])
    _ = try machines.problems(laptop)
    _ = try desktop.run("coffer", "sync")
    #expect(try desktop.status("epoch") == "2")
    try machines.sync(laptop, desktop)
    try machines.expect(all.merging(["later": "2"]) { $1 }, on: laptop, desktop)
  }

  @Test func `A commit that many branches name is asked for once`() throws {
    let other = try remote.git("commit-tree", "-m", "x", "vault-1^{tree}")
    for number in 1...8 { try remote.git("update-ref", "refs/heads/vault-9-\(String(format: "%016x", number))", other) }
    var fetches = 0
    let link = try RacedLink(desktop, to: remote) { number in
      fetches = number
      if number == 2 { throw GitError(.tooLarge, "too large", context: "the test") }
    }
    let report = try Synchronizer(
      desktop.local, access: link.access, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    ).run()
    // One for the branch of this machine, one for the eight others, and one that lists which of them are still there.
    #expect(fetches == 3 && report.problems.count == 8)
  }
}
