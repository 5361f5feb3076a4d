/// Measures the time of several operations in turns, so that other load on the machine affects all of them.
///
/// - Parameters:
///   - rounds: The number of rounds; the result is their median.
///   - turns: The number of turns of each operation in a round.
///   - repetitions: The number of runs in one turn.
///   - operations: The operations to measure.
/// - Returns: For each operation, the median of the rounds, in microseconds for one run.
/// - Throws: The first error that an operation throws.
package func medians(
  rounds: Int, turns: Int, repetitions: Int = 1, of operations: [() throws -> Void]
) throws -> [Double] {
  let clock = ContinuousClock()
  var results = operations.map { _ in [Double]() }
  for round in 0..<rounds {
    var totals = operations.map { _ in Duration.zero }
    for turn in 0..<turns {
      for step in operations.indices {
        // The order is rotated, so that no operation always follows the same one.
        let index = (step + round + turn) % operations.count
        let start = clock.now
        for _ in 0..<repetitions { try operations[index]() }
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
