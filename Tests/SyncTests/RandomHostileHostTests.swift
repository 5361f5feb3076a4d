import CofferTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(120))) struct RandomHostileHostTests {
  /// 300 runs of 40 steps with new seeds if COFFER_SOAK is 1. COFFER_SEED repeats one run.
  private static let isSoak = SeededGenerator.isSoak
  private static let stepCount = isSoak ? 40 : 30

  /// The seeds of the runs, in parts that run at the same time.
  private static let seeds: [[UInt64]] = {
    if let seed = SeededGenerator.givenSeed { return [[seed]] }
    guard isSoak else { return [[1], [2]] }
    let first = UInt64.random(in: 1 ... .max / 2)
    return (0..<4).map { part in (0..<75).map { first + part * 75 + $0 } }
  }()

  @Test(.inFullRun, arguments: seeds)
  func `A hostile host loses no acknowledged write, and each harm is named`(seeds: [UInt64]) throws {
    let template = try PortableMachines()
    try template.enrolThird()
    try HostileHost.prepare(template.host.path, views: HostileHostRun.machineNames)
    var harmCount = 0
    var writeCount = 0
    for seed in seeds {
      let run = try HostileHostRun(template, seed: seed)
      do {
        try run.run(stepCount: Self.stepCount)
      } catch let violation as HostileHostRun.Violation {
        Issue.record("\(violation)")
      }
      if Self.isSoak {
        let line =
          "\(run.generator): \(run.writeCount) writes, \(run.harmCount) harms\(run.hasFork ? ", a fork" : "")\n"
        FileHandle.standardError.write(Data(line.utf8))
      }
      harmCount += run.harmCount
      writeCount += run.writeCount
    }
    // The host did harm, and the machines wrote.
    #expect(harmCount >= seeds.count && writeCount >= seeds.count * 5)
  }
}
