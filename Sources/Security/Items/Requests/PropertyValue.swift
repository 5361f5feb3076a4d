internal import Coffer
internal import CofferFormat
internal import Foundation

/// A value of a Keychain call's dictionary.
enum PropertyValue {
  case boolean(Bool)
  /// Nil where the number is not whole, or does not fit 64 bits.
  case number(Int64?)
  case text(String)
  case data(Data)
  case date(Date)
  case null
  case other(Any)

  /// Dates that have a number of microseconds in 64 bits; what is no number is in no range.
  private static let seconds = -9e12...9e12

  init(_ value: Any) {
    self =
      switch value {
      // Objects first: an object becomes Swift's own type slowly, and the other way round is rare here.
      case let text as NSString: .text(String(text))
      // A number that was made from a truth value is told apart by its type.
      case let number as NSNumber:
        number.isBoolean ? .boolean(number.boolValue) : .number(Int64(exactly: number))
      case let data as NSData: .data(Data(referencing: data))
      case let date as NSDate where Self.seconds.contains(date.timeIntervalSinceReferenceDate):
        .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate))
      case is NSNull: .null
      default: .other(value)
      }
  }

  /// A truth value where only one will do.
  var boolean: Bool? {
    if case .boolean(let flag) = self { flag } else { nil }
  }

  var text: String? {
    if case .text(let text) = self { text } else { nil }
  }
}

extension AttributeValue {
  /// The value as an attribute of this kind keeps it; nil for a type that such an attribute does not take.
  init?(_ value: PropertyValue, for kind: AttributeKind) {
    switch (value, kind) {
    case (.text(let text), .blob): self = .string(text)
    case (.text(let text), .number): self = AttributeValue.string(text).normalised(for: .number)
    case (.data(let data), .blob): self = .data([UInt8](data))
    case (.number(let number?), .blob), (.number(let number?), .number): self = .number(number)
    case (.boolean(let flag), .number): self = .number(flag ? 1 : 0)
    case (.date(let date), .date): self = .date(Timestamp(keychain: date))
    case (.null, _): self = .absent(kind)
    default: return nil
    }
  }

  /// The value as Keychain hands it out.
  var object: NSObject {
    switch self {
    case .string(let text): NSString(string: text)
    case .data(let bytes): OwnedData(bytes)
    case .number(let number): NSNumber(value: number)
    case .date(let time): time.keychainDate
    }
  }
}

extension Timestamp {
  /// Keychain takes the first moment of 2001, its own 0, for a date that was never set; the vault takes 0, which is 1970. The two
  /// change places, so that no date is lost.
  private static let first2001 = Timestamp(Date(timeIntervalSinceReferenceDate: 0))
  private static let first1970 = Timestamp(microseconds: 0)

  private var withPlacesChanged: Timestamp {
    switch self {
    case Self.first2001: Self.first1970
    case Self.first1970: Self.first2001
    default: self
    }
  }

  fileprivate init(keychain date: Date) { self = Timestamp(date).withPlacesChanged }

  fileprivate var keychainDate: NSDate {
    NSDate(timeIntervalSinceReferenceDate: withPlacesChanged.date.timeIntervalSinceReferenceDate)
  }
}
