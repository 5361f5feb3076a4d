internal import Coffer
internal import CofferFormat
internal import Foundation

/// A value of a Keychain call's dictionary, by type.
enum PropertyValue {
  case boolean(Bool)
  /// A number; nil if it is not an integer of 64 bits.
  case number(Int64?)
  case text(String)
  case data(Data)
  case date(Date)
  case null
  case other(Any)

  /// The dates, in seconds since 2001, whose microseconds fit 64 bits. Does not contain NaN.
  private static let seconds = -9e12...9e12

  init(_ value: Any) {
    self =
      switch value {
      // Match classes, not Swift types: bridging an object to a Swift type is slow, and most values are objects.
      case let text as NSString: .text(String(text))
      // A Boolean is a number with a type of its own.
      case let number as NSNumber:
        number.isBoolean ? .boolean(number.boolValue) : .number(Int64(exactly: number))
      case let data as NSData: .data(Data(referencing: data))
      case let date as NSDate where Self.seconds.contains(date.timeIntervalSinceReferenceDate):
        .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate))
      case is NSNull: .null
      default: .other(value)
      }
  }

  var boolean: Bool? {
    if case .boolean(let flag) = self { flag } else { nil }
  }

  var text: String? {
    if case .text(let text) = self { text } else { nil }
  }
}
