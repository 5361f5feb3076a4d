import Coffer
import CofferTestSupport
import Foundation
import Testing

@Suite(.timeLimit(.minutes(120))) struct ConcurrentProcessTests {
  /// 8 × 5,000 if COFFER_SOAK is 1; that takes many minutes on a disk that needs milliseconds for a commit.
  private static let isSoak = SeededGenerator.isSoak
  private static let count = isSoak ? 5_000 : 500

  @Test func `Concurrent writes of eight processes lose and duplicate nothing, and none fails`() throws {
    let tampered = try TamperedVault()
    let names = (0..<8).map { "writer\($0)" }
    let writers = try names.map { name in
      try tampered.machine.start("CofferTestWriter", [tampered.plistPath, name, "\(Self.count)"])
    }
    for writer in writers {
      let outcome = try writer.wait()
      #expect(outcome.exitCode == 0 && outcome.errors.isEmpty, "\(outcome)")
    }
    let vault = try tampered.reopened()
    var seen: Set<String> = []
    let damaged = try vault.forEach(ItemQuery<GenericPassword>().matching(.service, "own")) { stored in
      #expect(seen.insert(stored.item.account).inserted && !stored.hasConflict)
    }
    #expect(damaged.isEmpty)
    #expect(seen.count == names.count * Self.count)
    for name in names {
      #expect(
        try vault.string(for: GenericPassword(service: "own", account: "\(name)-\(Self.count - 1)"))
          == "\(name) \(Self.count - 1)")
    }
    // Each read and write of a counter was one transaction: no increment is lost.
    var total = 0
    for counter in 0..<7 {
      total += try vault.string(for: GenericPassword(service: "shared", account: "\(counter)")).flatMap { Int($0) } ?? 0
    }
    #expect(total == names.count * ((Self.count + 3) / 4))
    try tampered.checkIntegrity()
  }

  @Test(arguments: [SeededGenerator.runSeed])
  func `The acknowledged writes of killed processes are present, and the store is intact`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let tampered = try TamperedVault()
    var acknowledged: [String: Int] = [:]
    var killed = 0
    for round in 0..<40 {
      let name = "round\(round)"
      let writers = try ["a", "b"].map { suffix in
        (name + suffix, try tampered.machine.start("CofferTestWriter", [tampered.plistPath, name + suffix, "100000"]))
      }
      // Killed at some moment: before the first write in some rounds, and after many in others.
      if round.isMultiple(of: 4) {
        usleep(useconds_t.random(in: 0...50_000, using: &random))
      } else {
        let enough = Int.random(in: 1...200, using: &random)
        try waitUntil("the programs write") {
          try writers.reduce(0) { try $0 + $1.1.outputSoFar().count } >= enough
        }
      }
      for (name, writer) in writers {
        writer.kill()
        let outcome = try writer.wait()
        #expect(outcome.errors.isEmpty, "\(outcome)")
        if outcome.exitCode == nil { killed += 1 }
        // A last line without a newline may have been cut off within a number.
        let lines = String(decoding: outcome.output, as: UTF8.self).components(separatedBy: "\n").dropLast()
        if let last = lines.last.flatMap({ Int($0) }) { acknowledged[name] = last }
      }
    }
    #expect(killed == 80 && acknowledged.count > 20, "\(killed) killed, \(acknowledged.count) had written")
    let vault = try tampered.reopened()
    for (name, last) in acknowledged {
      for number in 0...last {
        let value = try vault.string(for: GenericPassword(service: "own", account: "\(name)-\(number)"))
        #expect(value == "\(name) \(number)")
      }
    }
    try tampered.checkIntegrity()
  }
}
