internal import CofferPlatform
internal import CofferSystem

/// A file or a part of one with JSON.
enum JSONFile {
  /// Reads JSON. `what` is the format in words, for errors. Half of a character does not keep back the whole file: the
  /// sink names the item that has it.
  static func value(_ bytes: [UInt8], what: String) throws(ImportError) -> JSONValue {
    guard let value = JSONValue(json: bytes, marksLoneSurrogates: true) else {
      throw ImportError.malformed(
        what, "it is not JSON in UTF-8, or has more than 512 levels or \(JSONValue.maximumCount) values")
    }
    return value
  }
}

extension JSONValue {
  /// The moment that seconds since 1970, as a number, stand for; nil for anything else.
  var date: Date? {
    switch self {
    case .integer(let seconds): Date(timeIntervalSince1970: Double(seconds)).ifReasonable
    case .number(let seconds): Date(timeIntervalSince1970: seconds).ifReasonable
    default: nil
    }
  }

  /// The object without members.
  func removing(_ names: Set<String>) -> JSONValue {
    .object(members.filter { !names.contains($0.key) && !$0.value.isEmpty })
  }
}

extension Date {
  /// The date if it is between the years 1900 and 2200: what is outside is no date of an entry.
  var ifReasonable: Date? { (-2_208_988_800...7_258_118_400).contains(timeIntervalSince1970) ? self : nil }

  /// Reads ISO 8601 with or without fractions of a second.
  init?(iso8601 text: String) {
    let styles: [ISO8601FormatStyle] = [.iso8601, .init(includingFractionalSeconds: true)]
    guard let date = styles.lazy.compactMap({ try? $0.parse(text) }).first, let reasonable = date.ifReasonable else {
      return nil
    }
    self = reasonable
  }
}
