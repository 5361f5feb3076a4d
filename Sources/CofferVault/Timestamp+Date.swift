package import CofferFormat
package import CofferPlatform

extension Timestamp {
  /// The time by this machine's clock.
  package static var now: Timestamp {
    Timestamp(microseconds: Int64((Date().timeIntervalSince1970 * 1_000_000).rounded()))
  }

  /// The time as a Foundation date.
  package var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }

  /// Converts a date, rounded to the microsecond and clamped to the range of 64 bits.
  package init(_ date: Date) {
    let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
    self.init(microseconds: Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max))
  }
}
