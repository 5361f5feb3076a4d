/// The one-line summary of a subject, as defined by Apple's `SecCertificateCopySubjectSummary`.
enum SubjectSummary {
  /// The preference for an attribute as a summary. Later cases are preferred.
  private enum Rank: Int, Comparable {
    case other
    case organization
    case organizationalUnit
    case commonName

    static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }

    init(type: [UInt8]) {
      switch type {
      case KnownIdentifiers.commonName: self = .commonName
      case KnownIdentifiers.organizationalUnit: self = .organizationalUnit
      case KnownIdentifiers.organization: self = .organization
      default: self = .other
      }
    }
  }

  /// Returns the values of the best rank, the last one first, separated by commas. A common name is followed by the
  /// descriptions in parentheses. nil if the subject has no text.
  static func text(of subject: DistinguishedName) -> String? {
    let ranked = subject.attributes.compactMap { attribute in
      attribute.text.map { (rank: Rank(type: attribute.type), text: $0) }
    }
    guard let best = ranked.map(\.rank).max() else { return nil }
    let summary = list(ranked.filter { $0.rank == best }.map(\.text))
    let descriptions = subject.texts(of: KnownIdentifiers.description)
    guard best == .commonName, !descriptions.isEmpty else { return summary }
    return "\(summary) (\(list(descriptions)))"
  }

  private static func list(_ texts: [String]) -> String { texts.reversed().joined(separator: ", ") }
}
