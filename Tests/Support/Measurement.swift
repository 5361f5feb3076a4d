/// Takes the time of several things in turns, so that whatever the machine does meanwhile meets all of them.
///
/// - Parameters:
///   - rounds: How many times the median is taken of.
///   - turns: How often each has its turn in a round.
///   - repetitions: How often it runs in one turn.
/// - Returns: For each, the median of the rounds, in microseconds for one run.
package func medians(
  rounds: Int, turns: Int, repetitions: Int = 1, of contestants: [() throws -> Void]
) throws -> [Double] {
  let clock = ContinuousClock()
  var results = contestants.map { _ in [Double]() }
  for round in 0..<rounds {
    var totals = contestants.map { _ in Duration.zero }
    for turn in 0..<turns {
      for step in contestants.indices {
        // Nobody always follows the same one.
        let index = (step + round + turn) % contestants.count
        let start = clock.now
        for _ in 0..<repetitions { try contestants[index]() }
        totals[index] += start.duration(to: clock.now)
      }
    }
    for index in results.indices { results[index].append(totals[index].microseconds / Double(turns * repetitions)) }
  }
  return results.map { $0.median }
}

extension Duration {
  package var microseconds: Double { Double(components.seconds) * 1e6 + Double(components.attoseconds) * 1e-12 }
}

extension [Double] {
  package var median: Double {
    let sorted = sorted()
    guard let last = sorted.last else { return 0 }
    let middle = sorted.count / 2
    if sorted.count == 1 { return last }
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}
