import Foundation

// The benchmarks link Swift's static libraries, which do not contain Swift Testing.
#if canImport(Testing)
  package import Testing
#endif

/// What this run of the tests covers.
package enum TestRun {
  /// Whether this is the full run (`Scripts/test --full`, or COFFER_SOAK=1), which takes every row of every matrix.
  package static let isFull = ProcessInfo.processInfo.environment["COFFER_TEST_FULL"] == "1" || SeededGenerator.isSoak

  /// Returns the rows of a matrix that this run takes: all in a full run, otherwise `count` of them, from the first on
  /// at equal distances.
  package static func rows<Row>(_ all: [Row], ordinarily count: Int = 1) -> [Row] {
    guard !isFull, count < all.count else { return all }
    return (0..<count).map { all[$0 * all.count / count] }
  }

  /// Returns the rows that this run takes of all pairs of an element of one list with one of the other.
  package static func rows<First, Second>(
    _ first: [First], _ second: [Second], ordinarily count: Int = 1
  ) -> [(First, Second)] {
    rows(first.flatMap { first in second.map { (first, $0) } }, ordinarily: count)
  }
}

#if canImport(Testing)
  extension Trait where Self == ConditionTrait {
    /// Leaves a test to the full run. In the ordinary run, another test covers its promise, with fewer machines,
    /// another transport or a smaller number. Tests/README.md names the suite.
    package static var inFullRun: Self { .enabled(if: TestRun.isFull, "runs in Scripts/test --full") }
  }
#endif
