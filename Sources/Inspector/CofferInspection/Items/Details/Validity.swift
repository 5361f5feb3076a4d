package import Coffer
package import CofferFormat
package import CofferPlatform
internal import CofferSystem

/// The time for which something is valid, such as a certificate. Nothing is verified.
package struct Validity: Hashable, Sendable {
  package enum State: Hashable, Sendable {
    /// Its time has not begun.
    case future
    case valid
    /// It is valid, and will expire within ``ItemRequest/expiryNotice``.
    case expiring
    case expired
  }

  /// The beginning; nil if it is not known.
  package let start: Date?
  package let end: Date

  package init(from start: Date? = nil, until end: Date) {
    self.start = start
    self.end = end
  }

  /// Returns the state at a moment.
  package func state(at now: Date) -> State {
    if let start, now < start { return .future }
    if end < now { return .expired }
    return end.timeIntervalSince(now) < ItemRequest.expiryNotice ? .expiring : .valid
  }

  /// Returns the share of the time that has passed: 0 before it, 1 after it.
  package func elapsedShare(at now: Date) -> Double {
    guard let start else { return end < now ? 1 : 0 }
    let whole = end.timeIntervalSince(start)
    guard whole > 0 else { return now < start ? 0 : 1 }
    return min(max(now.timeIntervalSince(start) / whole, 0), 1)
  }

  /// Returns the state as a clause: "expires in 12 days", "valid until 2027-04-01".
  package func words(at now: Date) -> String {
    switch state(at: now) {
    case .future: "not valid yet"
    case .valid: "valid until \(end.localText.prefix(10))"
    case .expiring, .expired: expiry(at: now)
    }
  }

  /// Returns when it expires or has expired, in days.
  package func expiry(at now: Date) -> String {
    let days = Int((abs(end.timeIntervalSince(now)) / 86_400).rounded(.down))
    if state(at: now) == .expired { return days == 0 ? "expired today" : "expired \(counted(days: days)) ago" }
    return days == 0 ? "expires today" : "expires in \(counted(days: days))"
  }
}

/// A certificate in the vault that has expired, or will soon.
package struct ExpiringCertificate: Hashable, Sendable {
  /// The label, safe to show.
  package let label: String
  package let accessGroup: String
  package let reference: PersistentReference
  package let item: ItemID
  /// The end of its validity.
  package let notAfter: Date
  package let isExpired: Bool
  /// When it expires or has expired, as a clause.
  private let expiry: String

  /// What is the case, as a sentence.
  package var sentence: String {
    let name = label.isEmpty ? "A certificate" : "The certificate \(label)"
    return "\(name) in \(accessGroup) \(expiry)."
  }

  /// What is the case, in a few words.
  package var heading: String { "\(label.isEmpty ? "A certificate" : label) \(isExpired ? "has expired" : expiry)" }

  /// Creates an entry for a certificate whose validity ends before `end`; nil for any other.
  init?(
    _ certificate: StoredItem<KeychainCertificate>, asOf now: Date, before end: Date,
    identifier: () throws(VaultError) -> ItemID?
  ) throws(VaultError) {
    guard let notAfter = certificate.item.notAfter, notAfter < end, let item = try identifier() else { return nil }
    self.item = item
    label = (certificate.item.label ?? "").sanitizedForTerminal()
    accessGroup = certificate.accessGroup
    reference = certificate.reference
    self.notAfter = notAfter
    let validity = Validity(until: notAfter)
    isExpired = validity.state(at: now) == .expired
    expiry = validity.expiry(at: now)
  }
}
