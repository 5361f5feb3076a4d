/// What a host can see of one sync: the files that its commit added.
struct ObservedSync {
  /// The sizes of the added files, in the order of their paths.
  let sizes: [Int]
  /// The streams with added segments.
  let streams: Set<String>

  /// What a host could tell syncs by.
  static let features: [(name: String, value: @Sendable (ObservedSync) -> Int)] = [
    ("number of files", { $0.sizes.count }), ("all bytes", { $0.sizes.reduce(0, +) }),
    ("largest file", { $0.sizes.max() ?? 0 }), ("smallest file", { $0.sizes.min() ?? 0 }),
    ("first file", { $0.sizes.first ?? 0 }),
  ]
}

/// A guess at something that a sync was about, from what the host sees: learned from half of the syncs, whose answers
/// are known, and tried on the others.
struct Guess {
  /// The share of right guesses among the syncs that were not learned from, by the best feature.
  let accuracy: Double
  /// The share that always guessing the most frequent answer gets right.
  let chance: Double
  let count: Int

  init(_ syncs: [(seen: ObservedSync, answer: Int)]) {
    let (known, unknown) = (syncs.prefix(syncs.count / 2), syncs.suffix(syncs.count - syncs.count / 2))
    let usual = Self.mostFrequent(known.map(\.answer))
    func share(_ guess: (ObservedSync) -> Int, of syncs: ArraySlice<(seen: ObservedSync, answer: Int)>) -> Double {
      Double(syncs.count { guess($0.seen) == $0.answer }) / Double(max(1, syncs.count))
    }
    let guesses = ObservedSync.features.map { feature in
      let answers = Dictionary(grouping: known, by: { feature.value($0.seen) }).mapValues {
        Self.mostFrequent($0.map(\.answer))
      }
      return { (sync: ObservedSync) in answers[feature.value(sync)] ?? usual }
    }
    let best = guesses.max { share($0, of: known) < share($1, of: known) }
    accuracy = best.map { share($0, of: unknown) } ?? 0
    chance = share({ _ in usual }, of: unknown)
    count = unknown.count
  }

  private static func mostFrequent(_ answers: [Int]) -> Int {
    Dictionary(grouping: answers, by: { $0 }).max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }?.key ?? 0
  }

  /// Whether the guesses are better than chance by more than five standard deviations.
  var isInformed: Bool {
    let deviation = (chance * (1 - chance) / Double(max(1, count))).squareRoot()
    return accuracy > chance + 5 * deviation
  }
}
