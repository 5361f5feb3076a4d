internal import CofferPlatform

/// This machine's clock, which a simulation sets.
package enum WallClock {
  /// The time in microseconds since 1970.
  package static var now: Int64 {
    #if DEBUG
      if let simulated { return simulated }
    #endif
    return Int64((Date().timeIntervalSince1970 * 1_000_000).rounded())
  }

  #if DEBUG
    @TaskLocal private static var simulated: Int64?

    /// Runs `body` on this thread with another time on the clock, in microseconds since 1970.
    package static func withTime<Result>(_ time: Int64, _ body: () throws -> Result) rethrows -> Result {
      try $simulated.withValue(time, operation: body)
    }
  #endif
}
