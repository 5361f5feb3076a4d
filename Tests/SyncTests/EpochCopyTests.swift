import CofferFormat
import CofferStore
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// Copies of one machine, both of which are used, when an epoch begins.
@Suite struct EpochCopyTests {
  private let machines: EpochMachines
  private let copy: Machine
  private var remote: TemporaryRemote { machines.remote }
  private var laptop: Machine { machines.laptop }
  private var desktop: Machine { machines.desktop }

  init() throws {
    machines = try EpochMachines()
    copy = try machines.laptop.copied()
  }

  /// Expects that everything is on all machines, that they can go on writing, and that one of the copies can end the
  /// epoch.
  private func expectConvergence(to expected: [String: String]) throws {
    var expected = expected
    for round in 0..<2 {
      for (name, machine) in [("laptop", laptop), ("copy", copy), ("desktop", desktop)] {
        try machine.set("\(name) \(round)", "later")
        expected["\(name) \(round)"] = "later"
        try machines.sync(machine)
      }
      try machines.sync(laptop, copy, desktop)
      if round == 0 { try copy.coffer("compact") }
      try machines.sync(laptop, copy, desktop)
    }
    let clone = try machines.clone(named: "fourth")
    try machines.sync(laptop, copy, desktop)
    try machines.expect(expected, on: laptop, copy, desktop, clone)
    #expect(try laptop.status("epoch") == "3")
  }

  @Test(arguments: TestRun.rows([[], ["--keep"]]))
  func `A copy that has not sent its change follows the epoch of the original, and neither loses an item`(
    options: [String]
  ) throws {
    try laptop.set("original", "1")
    try copy.set("copy", "2")
    try laptop.succeed("coffer", ["compact"] + options)
    let sync = try copy.run("coffer", "sync")
    #expect(sync.exitCode == 0 && sync.text.contains("copy of this machine"), "\(sync)")
    try expectConvergence(to: ["kept": "1", "changed": "old", "original": "1", "copy": "2"])
  }

  @Test(arguments: TestRun.rows([(1, 1), (1, 2), (2, 2)], ordinarily: 2))
  func `A copy whose segments the host refused begins another stream in the epoch of the original, and blames nobody`(
    ownCount: Int, originalCount: Int
  ) throws {
    try remote.setPushHook("exit 1")
    for number in 1...ownCount {
      try copy.set("copy", "\(number)")
      #expect(try copy.run("coffer", "sync").exitCode == 7)
    }
    try remote.setPushHook(nil)
    let refused = try copy.lastOwnSegment()
    for number in 1...originalCount {
      if number > 1 { try machines.sync(laptop) }
      try laptop.set("original", "\(number)")
    }
    try laptop.coffer("compact")
    let last = try laptop.lastOwnSegment()
    #expect(last.stream == refused.stream && last.hash != refused.hash)
    #expect(Int(last.number) - Int(refused.number) == originalCount - ownCount)
    let sync = try copy.run("coffer", "sync")
    #expect(sync.exitCode == 0 && sync.text.contains("copy of this machine"), "\(sync)")
    #expect(try copy.lastOwnSegment().stream != refused.stream)
    try expectConvergence(
      to: ["kept": "1", "changed": "old", "original": "\(originalCount)", "copy": "\(ownCount)"])
  }

  @Test func `What a copy replaced twice, and the other one never saw, leaves no earlier version current anywhere`()
    throws
  {
    let before = remote.tip
    try laptop.set("kept", "second")
    try machines.sync(laptop)
    try laptop.set("kept", "third")
    // The other one uses the numbers of this segment and of the next one, and ends the epoch.
    try remote.serve(before)
    for value in ["a", "b"] {
      try copy.set(value, value)
      try machines.sync(copy)
    }
    try copy.coffer("compact")
    for machine in [laptop, desktop, copy, laptop] { _ = try machine.run("coffer", "sync") }
    try machines.sync(laptop, copy, desktop)
    let expected = ["kept": "third", "changed": "old", "a": "a", "b": "b"]
    try machines.expect(expected, on: laptop, copy, desktop)
    for machine in [laptop, copy, desktop] {
      #expect(try machine.local.store.read { try $0.sharedHeads().count } == expected.count)
    }
  }

  @Test func `Both copies were absent for two epochs of another machine, and neither loses an item`() throws {
    try laptop.set("original", "1")
    try copy.set("copy", "2")
    try desktop.coffer("compact")
    try desktop.set("desktop", "3")
    try desktop.coffer("compact", "--keep")
    try machines.sync(laptop)
    let sync = try copy.run("coffer", "sync")
    #expect(sync.exitCode == 0 && sync.text.contains("copy of this machine"), "\(sync)")
    try machines.sync(laptop, desktop)
    try machines.expect(
      ["kept": "1", "changed": "old", "original": "1", "copy": "2", "desktop": "3"], on: laptop, copy, desktop)
    #expect(try copy.status("epoch") == "3")
  }

  @Test func `A host that shows the first segment of each copy after a checkpoint in turn loses the items of neither`()
    throws
  {
    try desktop.set("before", "1")
    try machines.sync(desktop)
    try laptop.coffer("compact")
    try machines.sync(desktop)
    let copy = try desktop.copied()
    let branch = "refs/heads/" + (try #require(machines.branches().first))
    let before = try remote.git("rev-parse", branch)
    try desktop.set("original", "2")
    try machines.sync(desktop)
    let shown = try remote.git("rev-parse", branch)
    try remote.git("update-ref", branch, before)
    try copy.set("copy", "3")
    try machines.sync(copy, laptop)
    let (own, other) = (try desktop.lastOwnSegment(), try copy.lastOwnSegment())
    #expect(own.stream == other.stream && own.number == other.number && own.hash != other.hash)
    // Nothing of the stream is left in the store when its only segment after the checkpoint is withdrawn.
    #expect(try laptop.local.store.read { try $0.allSegments().map(\.0) } == [own.stream])
    try remote.git("update-ref", branch, shown)
    let problems = try machines.problems(laptop)
    #expect(problems.contains("has another segment \(own.number) of stream \(own.stream)"), "\(problems)")
    #expect(try laptop.local.store.read { try $0.segment(own.stream, own.number)?.position } == own)
    let all = ["kept": "1", "changed": "old", "before": "1", "original": "2", "copy": "3"]
    #expect(try laptop.storedValues() == all)
    for machine in [desktop, copy, laptop] { _ = try machine.run("coffer", "sync") }
    try machines.sync(desktop, copy, laptop)
    try machines.expect(all, on: laptop, desktop, copy)
    let clone = try machines.clone(named: "third")
    #expect(try clone.storedValues() == all)
  }
}
