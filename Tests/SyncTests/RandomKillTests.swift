import CofferTestSupport
import Foundation
import Testing

/// Programs that are killed at random moments, while others run: what the kills at known steps might miss.
@Suite struct RandomKillTests {
  private static let isSoak = SeededGenerator.isSoak
  /// The number of syncs that are killed: 500 if COFFER_SOAK is 1.
  private static let killedSyncCount = isSoak ? 500 : 8
  private static let seeds = [SeededGenerator.runSeed]

  @Test(.inFullRun, arguments: seeds)
  func `Machines whose programs are killed at random moments continue by themselves and lose nothing`(
    seed: UInt64
  ) throws {
    var run = try RandomKills(seed: seed)
    var rounds = 0
    do {
      // Most of the programs must have been running when they were killed.
      while run.kills[.sync, default: 0] < Self.killedSyncCount, rounds < 6 * Self.killedSyncCount {
        rounds += 1
        try run.work()
        if rounds.isMultiple(of: 10) { try run.converge() }
      }
      try run.converge()
      try run.check()
    } catch {
      Issue.record("seed \(seed), round \(rounds): \(error)")
    }
    #expect(run.kills[.sync, default: 0] >= Self.killedSyncCount, "seed \(seed), \(rounds) rounds: \(run.escapes)")
    #expect(run.acknowledgedCount > rounds / 2, "seed \(seed)")
    if Self.isSoak {
      for operation in RandomKills.Operation.allCases { #expect(run.kills[operation, default: 0] >= 10) }
      print(
        """
        kills: seed \(seed), \(rounds) rounds; killed \(run.kills), ended before \(run.escapes); \
        \(run.acknowledgedCount) writes acknowledged, \(run.keptCount) kept of killed ones; \
        \(run.concurrentCount) syncs at the same time; \(run.epochs.count) epochs
        """)
    }
  }
}
