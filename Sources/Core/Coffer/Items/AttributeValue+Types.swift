package import CofferFormat

extension AttributeValue {
  /// The value as text: numbers in decimal digits, nil for dates and for bytes that are not UTF-8.
  package var text: String? {
    switch self {
    case .string(let text): text
    case .data(let bytes): String(validating: bytes, as: UTF8.self)
    case .number(let number): String(number)
    case .date: nil
    }
  }

  /// The value as a number, also if it is stored as decimal digits.
  package var number: Int64? {
    switch self {
    case .number(let number): number
    case .string(let text): Int64(text)
    case .data, .date: nil
    }
  }
}
