internal import Coffer
internal import CofferFormat
internal import Foundation

extension Timestamp {
  // The Keychain's value for a date that was never set is the start of 2001, its reference date. The vault's is the
  // start of 1970. The conversion swaps the two, so that it is reversible for every date.
  private static let first2001 = Timestamp(Date(timeIntervalSinceReferenceDate: 0))
  private static let first1970 = Timestamp(microseconds: 0)

  /// The timestamp, with the two values for unset dates swapped.
  private var withUnsetDatesSwapped: Timestamp {
    switch self {
    case Self.first2001: Self.first1970
    case Self.first1970: Self.first2001
    default: self
    }
  }

  /// Creates the stored form of a date of a Keychain call.
  init(keychain date: Date) { self = Timestamp(date).withUnsetDatesSwapped }

  /// The date as an object, for results.
  var keychainDate: NSDate {
    NSDate(timeIntervalSinceReferenceDate: withUnsetDatesSwapped.date.timeIntervalSinceReferenceDate)
  }
}
