import CofferTestSupport
import Foundation
import Testing

/// Simulated worlds: machines with real vaults, a host that also lies, and a network that fails, in one thread each.
@Suite struct WorldTests {
  private static let parts = TestRun.rows(Array(0..<(SeededGenerator.isSoak ? 200 : 4)))
  /// In each part. In a soak run (COFFER_SOAK=1), the worlds are new each time.
  private static let count = TestRun.isFull ? 50 : 25
  /// In each run of the program, whose time is limited.
  private static let runCount = 5
  private static let firstSeed = SeededGenerator.givenSeed ?? (SeededGenerator.isSoak ? .random(in: 1...1 << 40) : 1)

  private func run(_ arguments: [String]) throws -> Machine.Outcome {
    let machine = try Machine()
    // Its disks are in memory if those of the tests are.
    let scratch = FileManager.default.temporaryDirectory.path
    return try machine.start("CofferWorlds", arguments, environment: ["TMPDIR": scratch]).wait()
  }

  @Test(arguments: parts)
  func `Machines lose nothing, meet again and name what their host has done to them, in every world`(part: Int) throws {
    let first = Self.firstSeed + UInt64(part * Self.count)
    var text = ""
    for seed in stride(from: first, to: first + UInt64(Self.count), by: Self.runCount) {
      // Every second run.
      let kind = (seed - first) / UInt64(Self.runCount) % 2 == 1 ? ["--races"] : []
      let outcome = try run(["--seed", "\(seed)", "--count", "\(Self.runCount)"] + kind)
      #expect(outcome.exitCode == 0, "\(outcome)")
      text += outcome.text
    }
    if SeededGenerator.isSoak { return print("worlds from seed \(first): \(text)") }
    for kind in [
      "set", "keep", "killed sync", "racing sync", "sync without answer", "compact", "remove", "host: separates",
      "restore", "host: withholds", "host: makes peace", "invite", "backup", "copy", "killed compact", "killed removal",
      "cut removal", "long world",
    ] {
      #expect(text.contains(" \(kind) "), "\(text)")
    }
  }

  /// The seeds of worlds in which a soak run has found a fault. Since time passes in worlds by their own clock alone,
  /// they take other paths, on which the fault may not show.
  private static let repaired = [
    77_000_046, 88_000_004, 88_000_133, 88_010_029, 88_010_199, 99_000_273, 99_000_301, 99_000_307,
    99_020_504, 91_000_078, 91_000_108, 91_000_157, 94_000_012, 94_000_210, 96_000_530, 96_000_880, 212, 280,
  ]

  @Test(arguments: TestRun.rows(repaired, ordinarily: 3))
  func `A world that has had a fault has none any more`(seed: Int) throws {
    let outcome = try run(["--seed", "\(seed)"])
    #expect(outcome.exitCode == 0, "\(outcome)")
  }

  @Test func `A world with a fault is found, runs again by its seed, and is shortened`() throws {
    let forgetful = ["--forgetful", "--steps", "60"]
    let found = try run(forgetful + ["--count", "40"])
    #expect(found.exitCode == 1)
    let again = try #require(found.text.split(separator: "\n").last?.firstMatch(of: /--seed (\d+)/))
    let seed = String(again.output.1)
    let second = try run(forgetful + ["--seed", seed])
    let shortened = try run(forgetful + ["--seed", seed, "--shrink"])
    #expect(found.text == second.text)
    #expect(shortened.exitCode == 1)
    #expect(
      shortened.text.split(separator: "\n").count < found.text.split(separator: "\n").count / 2, "\(shortened.text)")
  }
}
