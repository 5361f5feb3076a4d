/// The time between two syncs: a number with its unit, such as `90s`, `15m` or `2h`.
package struct SyncInterval: Hashable, Sendable, CustomStringConvertible {
  /// 15 minutes.
  package static let standard = SyncInterval(seconds: 900, description: "15m")

  package let seconds: Int
  package let description: String

  package var duration: Duration { .seconds(seconds) }

  private init(seconds: Int, description: String) {
    self.seconds = seconds
    self.description = description
  }

  /// Reads an interval. Returns nil for another text, for less than a second and for more than a week.
  package init?(_ text: String) {
    guard let match = text.wholeMatch(of: /([0-9]{1,6})([smhd])/), let count = Int(match.output.1),
      let unit = ["s": 1, "m": 60, "h": 3_600, "d": 86_400][String(match.output.2)],
      (1...604_800).contains(count * unit)
    else { return nil }
    self.init(seconds: count * unit, description: text)
  }
}
