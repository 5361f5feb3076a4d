package import CofferFormat
package import CofferPlatform
internal import CofferSystem

extension Timestamp {
  /// The time by this machine's clock.
  package static var now: Timestamp { Timestamp(microseconds: WallClock.now) }

  #if DEBUG
    /// Runs `body` on this thread with another time on the clock, as a simulation sets it.
    package static func withClock<Result>(at time: Timestamp, _ body: () throws -> Result) rethrows -> Result {
      try WallClock.withTime(time.microseconds, body)
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
