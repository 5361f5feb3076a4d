internal import Foundation

/// A condition on the subject of a certificate: one of the keys `kSecMatchSubject…`.
struct SubjectCondition: Sendable {
  /// The part of the subject that the text is compared with.
  enum Place: Sendable {
    case anywhere, start, end, whole
  }

  /// The differences that the comparison ignores.
  enum Option: Sendable {
    case caseInsensitive, diacriticInsensitive, widthInsensitive

    var compareOption: String.CompareOptions {
      switch self {
      case .caseInsensitive: .caseInsensitive
      case .diacriticInsensitive: .diacriticInsensitive
      case .widthInsensitive: .widthInsensitive
      }
    }
  }

  let text: String
  let place: Place

  /// Returns whether a subject satisfies the condition.
  func isSatisfied(by subject: String, _ options: String.CompareOptions) -> Bool {
    switch place {
    case .anywhere: subject.range(of: text, options: options) != nil
    case .start: subject.range(of: text, options: options.union(.anchored)) != nil
    case .end: subject.range(of: text, options: options.union([.anchored, .backwards])) != nil
    case .whole: subject.compare(text, options: options) == .orderedSame
    }
  }
}
