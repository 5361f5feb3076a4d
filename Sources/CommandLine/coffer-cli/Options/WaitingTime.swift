internal import ArgumentParser

/// How long a command waits: a number with its unit, `90s`, `15m` or `2h`.
struct WaitingTime: ExpressibleByArgument, Hashable {
  /// One hour.
  static let standard = WaitingTime(seconds: 3_600, text: "1h")

  /// How long a value stays in the clipboard: 45 seconds.
  static let clipboard = WaitingTime(seconds: 45, text: "45s")

  let seconds: Int
  private let text: String

  private init(seconds: Int, text: String) {
    self.seconds = seconds
    self.text = text
  }

  /// Returns nil for another text, and for more than 100 hours.
  init?(argument: String) {
    guard let match = argument.wholeMatch(of: /([0-9]{1,6})([smh])/), let count = Int(match.output.1),
      let unit = ["s": 1, "m": 60, "h": 3_600][String(match.output.2)], count * unit <= 360_000
    else { return nil }
    self.init(seconds: count * unit, text: argument)
  }

  var defaultValueDescription: String { text }
}
