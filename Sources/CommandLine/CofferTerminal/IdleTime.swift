/// A time without use, as a user writes it: `90s`, `10m` or `1h`. A number alone is none: one person means minutes, and
/// another one seconds.
package struct IdleTime: Sendable {
  package let seconds: Int

  package var duration: Duration { .seconds(seconds) }

  /// Creates a time from its text. Nil unless that is a whole number with its unit, from 1 second to 24 hours.
  package init?(_ argument: String) {
    let units = ["s": 1, "m": 60, "h": 3600]
    let digits = argument.dropLast()
    guard let unit = argument.last.flatMap({ units[String($0)] }),
      digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let count = Int(digits),
      case let (seconds, isTooLarge) = count.multipliedReportingOverflow(by: unit), !isTooLarge,
      (1...86_400).contains(seconds)
    else { return nil }
    self.seconds = seconds
  }

  /// The default: ten minutes.
  package static let standard = IdleTime(seconds: 600)

  private init(seconds: Int) { self.seconds = seconds }

  /// The time in words, such as "10 minutes".
  package var text: String {
    let units = [(3600, "hour"), (60, "minute"), (1, "second")]
    let (length, name) = units.first { seconds.isMultiple(of: $0.0) } ?? (1, "second")
    let count = seconds / length
    return "\(count) \(name)\(count == 1 ? "" : "s")"
  }
}

extension IdleTime: CustomStringConvertible {
  /// The time as a user writes it.
  package var description: String { seconds.isMultiple(of: 60) ? "\(seconds / 60)m" : "\(seconds)s" }
}
