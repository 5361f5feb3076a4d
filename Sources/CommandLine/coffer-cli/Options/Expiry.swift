internal import CofferPlatform
internal import CofferSystem
internal import ArgumentParser
internal import CofferVault

/// When a credential expires.
struct Expiry: ExpressibleByArgument, Hashable {
  private enum Moment: Hashable {
    /// After a number of units of a number of seconds each.
    case after(Int, seconds: Int)
    /// At the beginning of a day in the machine's time zone.
    case day(year: Int, month: Int, day: Int)
  }

  /// After 90 days.
  static let standard = Expiry(.after(90, seconds: 86_400), text: "90d")

  /// After 24 hours.
  static let oneDay = Expiry(.after(24, seconds: 3_600), text: "24h")

  private let moment: Moment
  private let text: String

  private init(_ moment: Moment, text: String) {
    self.moment = moment
    self.text = text
  }

  /// Reads a number with its unit, `90d`, or a day, `2027-03-01`. Returns nil for another text.
  init?(argument: String) {
    if let match = argument.wholeMatch(of: /([1-9][0-9]{0,4})([hdwy])/), let count = Int(match.output.1) {
      let seconds = ["h": 3_600, "d": 86_400, "w": 7 * 86_400, "y": 365 * 86_400]
      guard let unit = seconds[String(match.output.2)] else { return nil }
      self.init(.after(count, seconds: unit), text: argument)
    } else if let match = argument.wholeMatch(of: /([0-9]{4})-([0-9]{2})-([0-9]{2})/), let year = Int(match.output.1),
      let month = Int(match.output.2), let day = Int(match.output.3)
    {
      self.init(.day(year: year, month: month, day: day), text: argument)
    } else {
      return nil
    }
  }

  var defaultValueDescription: String { text }

  /// Returns the time at which the credential expires. Throws `invalidArgument` for a day that does not exist or is not
  /// in the future.
  func time(after now: Date) throws(VaultError) -> Date {
    switch moment {
    case .after(let count, let seconds): return now.addingTimeInterval(Double(count * seconds))
    case .day(let year, let month, let day):
      guard let date = Date(year: year, month: month, day: day), date > now else {
        throw VaultError(
          .invalidArgument, "\(text) is no day in the future", recoverySuggestion: "give another one with --expires")
      }
      return date
    }
  }
}
