import Foundation

/// SplitMix64 (Steele, Lea, Flood 2014): a run can be repeated with the seed that a failure prints.
package struct SeededGenerator: RandomNumberGenerator, CustomStringConvertible, Sendable {
  /// The seed of the run.
  package let seed: UInt64
  private var state: UInt64

  package init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  package var description: String { "seed \(seed)" }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Whether this is a soak run (COFFER_SOAK=1), which does more, and with new seeds.
  package static let isSoak = ProcessInfo.processInfo.environment["COFFER_SOAK"] == "1"

  /// The seed of the run that COFFER_SEED repeats; nil if it is not set.
  package static let givenSeed = ProcessInfo.processInfo.environment["COFFER_SEED"].flatMap { UInt64($0) }

  /// The seed of a run: the given one, a new one in a soak run, and otherwise a fixed one, so that a failure has its
  /// cause in what was changed last.
  package static let runSeed: UInt64 = {
    if let givenSeed { return givenSeed }
    guard isSoak else { return 7 }
    let seed = UInt64.random(in: 1000 ... .max)
    // A test that crashes prints no arguments.
    FileHandle.standardError.write(Data("seed of this run: \(seed)\n".utf8))
    return seed
  }()

  /// Two fixed seeds, and that of the run; only the given one, if there is one.
  package static let seeds = seedsToRun(unlessGiven: [1, 2, runSeed])

  /// Returns the seeds of a random test: only the given one, if there is one.
  package static func seedsToRun(unlessGiven seeds: [UInt64]) -> [UInt64] { givenSeed.map { [$0] } ?? seeds }

  package mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) } }

  /// Returns true in `percent` of a hundred cases.
  package mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

  /// Returns one of `elements`, which must not be empty.
  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }
}
