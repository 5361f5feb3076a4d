package import CofferFormat
package import CofferPlatform

extension Timestamp {
  /// The time by this machine's clock.
  package static var now: Timestamp {
    #if DEBUG
      if let simulated { return simulated }
    #endif
    return Timestamp(microseconds: Int64((Date().timeIntervalSince1970 * 1_000_000).rounded()))
  }

  #if DEBUG
    @TaskLocal private static var simulated: Timestamp?

    /// Runs `body` on this thread with another time on the clock, as a simulation sets it.
    package static func withClock<Result>(at time: Timestamp, _ body: () throws -> Result) rethrows -> Result {
      try $simulated.withValue(time, operation: body)
    }
  #endif

  /// The time as a Foundation date.
  package var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }

  /// Converts a date, rounded to the microsecond and clamped to the range of 64 bits.
  package init(_ date: Date) {
    let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
    self.init(microseconds: Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
  }
}
