package import Coffer
package import CofferFormat
package import CofferPlatform
internal import CofferSystem

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
