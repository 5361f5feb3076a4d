internal import Coffer
internal import CofferFormat
internal import CofferX509
internal import Foundation

/// What narrows a search beside attributes: the keys `kSecMatch…`.
struct MatchConditions {
  var subjects: [SubjectCondition] = []
  var options: String.CompareOptions = []
  var emailAddress: String?
  var date: Date?
  var host: String?
  /// Names as Keychain normalises them.
  var issuers: Set<[UInt8]>?
  /// What the items must be among.
  var items: [ItemReference]?

  /// The conditions on items of a class; issuers are looked at where the certificates are.
  func conditions(of itemClass: ItemClass) -> [@Sendable (ItemAttributes) -> Bool] {
    var conditions: [@Sendable (ItemAttributes) -> Bool] = []
    if itemClass == .certificate {
      for subject in subjects {
        let options = options
        conditions.append { attributes in attributes.lines(of: .subjectTexts).contains { subject.holds($0, options) } }
      }
      if let emailAddress {
        // "If present": a certificate without addresses is not left out.
        conditions.append { attributes in
          let addresses = attributes.lines(of: .emailAddresses)
          return addresses.isEmpty || addresses.contains { $0.caseInsensitiveCompare(emailAddress) == .orderedSame }
        }
      }
      if let date {
        let time = Timestamp(date)
        conditions.append { attributes in
          guard let from = attributes.date(.notBefore), let to = attributes.date(.notAfter) else { return false }
          return from <= time && time <= to
        }
      }
    }
    if let host { conditions.append { ($0[.server]?.text).map { Self.isHost($0, orSubdomainOf: host) } ?? false } }
    if let items { conditions.append { attributes in items.contains { $0.names(attributes, of: itemClass) } } }
    return conditions
  }

  /// Host names know no case. `ample.com` has no subdomain `example.com`.
  private static func isHost(_ server: String, orSubdomainOf host: String) -> Bool {
    let (server, host) = (server.lowercased(), host.lowercased())
    return server == host || server.hasSuffix("." + host)
  }
}

/// One of `kSecMatchSubject…`: a text that a certificate's subject has.
struct SubjectCondition: Sendable {
  enum Place: Sendable {
    case anywhere, start, end, whole
  }

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

  func holds(_ subject: String, _ options: String.CompareOptions) -> Bool {
    switch place {
    case .anywhere: subject.range(of: text, options: options) != nil
    case .start: subject.range(of: text, options: options.union(.anchored)) != nil
    case .end: subject.range(of: text, options: options.union([.anchored, .backwards])) != nil
    case .whole: subject.compare(text, options: options) == .orderedSame
    }
  }
}

extension ItemAttributes {
  fileprivate func lines(of code: AttributeCode) -> [String] {
    (self[code]?.text ?? "").split(separator: "\n").map(String.init)
  }
}
