internal import Coffer
internal import CofferFormat
internal import CofferX509
internal import Foundation

/// The search conditions other than attributes: the keys `kSecMatch…`.
struct MatchConditions {
  var subjects: [SubjectCondition] = []
  var options: String.CompareOptions = []
  var emailAddress: String?
  var date: Date?
  var host: String?
  /// The names of issuers, normalised.
  var issuers: Set<[UInt8]>?
  var items: [ItemReference]?

  /// Returns the conditions for items of a class, except ``issuers``, which requires the other certificates.
  func conditions(of itemClass: ItemClass) -> [@Sendable (ItemAttributes) -> Bool] {
    var conditions: [@Sendable (ItemAttributes) -> Bool] = []
    if itemClass == .certificate {
      for subject in subjects {
        let options = options
        conditions.append { attributes in
          attributes.lines(of: .subjectTexts).contains { subject.isSatisfied(by: $0, options) }
        }
      }
      if let emailAddress {
        // "IfPresent": a certificate without addresses matches.
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
    if let items { conditions.append { attributes in items.contains { $0.matches(attributes, of: itemClass) } } }
    return conditions
  }

  /// Compares host names, ignoring case. The dot prevents that `example.com` counts as a subdomain of `ample.com`.
  private static func isHost(_ server: String, orSubdomainOf host: String) -> Bool {
    let (server, host) = (server.lowercased(), host.lowercased())
    return server == host || server.hasSuffix("." + host)
  }
}

extension ItemAttributes {
  fileprivate func lines(of code: AttributeCode) -> [String] {
    (self[code]?.text ?? "").split(separator: "\n").map(String.init)
  }
}
