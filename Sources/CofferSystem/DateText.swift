package import Foundation

extension Date {
  /// The date in the machine's time zone, to the second: `2026-11-21 00:31:49`.
  package var localText: String {
    formatted(
      Date.ISO8601FormatStyle(timeZone: .current).year().month().day().dateSeparator(.dash)
        .dateTimeSeparator(.space).time(includingFractionalSeconds: false).timeSeparator(.colon))
  }
}
