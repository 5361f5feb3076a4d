package import Coffer
internal import CofferFormat
internal import CofferSystem
package import Foundation

/// A certificate in the vault that has expired, or will soon.
package struct ExpiringCertificate: Hashable, Sendable {
  /// The label, safe to show.
  package let label: String
  package let accessGroup: String
  package let reference: PersistentReference
  /// The end of its validity.
  package let notAfter: Date
  package let isExpired: Bool
  /// The number of whole days until the end of its validity, or since.
  package let days: Int

  /// What is the case, as a sentence.
  package var sentence: String {
    let name = label.isEmpty ? "A certificate" : "The certificate \(label)"
    let time = days == 0 ? "today" : isExpired ? "\(count(days, "day")) ago" : "in \(count(days, "day"))"
    return "\(name) in \(accessGroup) \(isExpired ? "expired" : "expires") \(time)."
  }

  /// Creates an entry for a certificate whose validity ends before `end`; nil for any other.
  init?(_ certificate: StoredItem<KeychainCertificate>, asOf now: Date, before end: Date) {
    guard let notAfter = certificate.item.notAfter, notAfter < end else { return nil }
    label = (certificate.item.label ?? "").sanitizedForTerminal()
    accessGroup = certificate.accessGroup
    reference = certificate.reference
    self.notAfter = notAfter
    isExpired = notAfter < now
    days = Int((abs(notAfter.timeIntervalSince(now)) / 86_400).rounded(.down))
  }
}
