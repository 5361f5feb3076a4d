public import CofferPlatform

/// A one-time code, and the time for which it is valid.
public struct OneTimeCode: Hashable, Sendable {
  /// The digits, with the zeros at the beginning.
  public let text: String
  /// When the code becomes valid.
  public let validFrom: Date
  /// When the next code replaces it. Most servers accept it a little longer.
  public let validUntil: Date

  /// Returns the number of seconds for which the code is still valid, rounded up; 0 when it is not valid any more.
  ///
  /// - Parameter date: The time; now by default.
  /// - Returns: The number of seconds.
  public func secondsLeft(at date: Date = Date()) -> Int {
    let seconds = validUntil.timeIntervalSince(date).rounded(.up)
    // Neither NaN nor infinity is an Int.
    return seconds > 0 ? Int(min(seconds, 1e15)) : 0
  }
}
