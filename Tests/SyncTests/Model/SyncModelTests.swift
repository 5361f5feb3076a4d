import CofferTestSupport
import Foundation
import Testing

/// Random work on five machines, which write, sync in any order, are apart for long, begin epochs, and are removed,
/// against a model in memory.
@Suite struct SyncModelTests {
  private static let isSoak = SeededGenerator.isSoak
  /// 20,000 steps in a soak run (COFFER_SOAK=1).
  private static let plan = isSoak ? ModelledVault.Plan.soak : .short
  private static let seeds = [SeededGenerator.runSeed]

  @Test(.inFullRun, arguments: seeds)
  func `Machines that write, delete, sync, restart and are replaced over epochs have what a plain model has`(
    seed: UInt64
  ) throws {
    let plan = Self.plan
    var vault = try ModelledVault(plan, seed: seed)
    do {
      while vault.step < plan.stepCount { try vault.work() }
      try vault.converge()
      try vault.check()
    } catch {
      Issue.record("seed \(seed), step \(vault.step): \(error)\n\(vault.trace.joined(separator: "\n"))")
    }
    func count(_ kinds: String...) -> Int { kinds.reduce(0) { $0 + vault.counts[$1, default: 0] } }
    #expect(count("set") > plan.stepCount / 3 && count("sync") > plan.stepCount / 12, "seed \(seed)")
    #expect(count("compact", "compact --keep") == plan.stepCount / plan.compactEvery, "seed \(seed)")
    #expect(count("lane") == plan.stepCount / plan.laneEvery && count("revoke") > 0, "seed \(seed)")
    #expect(vault.epoch > plan.stepCount / plan.compactEvery, "seed \(seed)")
    #expect(!Self.isSoak || count("syncs over several epochs") > 0, "seed \(seed)")
    if Self.isSoak {
      print("model: seed \(seed), epoch \(vault.epoch), \(vault.counts.sorted { $0.key < $1.key })")
    }
  }
}
