package import Coffer
internal import CofferFormat
package import CofferPlatform

extension InspectedVault {
  /// Returns the first look at the vault. With `waitsForStore`, waits until the store's rows are compared with their
  /// summary, which reads all of them. Otherwise that is done on another thread, and a later overview says whether
  /// another program has changed them.
  package func overview(
    waitsForStore: Bool = false, limits: AttentionLimits = AttentionLimits(), now: Date = Date()
  ) throws(VaultError) -> Overview {
    try Overview.read(
      from: local, certificates: expiringCertificates(within: limits.certificateDays, now: now),
      // What an app's groups were readable for is the owner's.
      replacements: vault.applicationIdentifier == nil ? itemsToReplaceCount() : 0,
      isStoreChanged: waitsForStore ? comparison.compare(local) : comparison.known(of: local), limits: limits, now: now)
  }

  /// Returns the certificates that have expired or will within a number of days, the one that expires first at the front.
  /// A damaged one is left out: lists name it.
  package func expiringCertificates(within days: Int, now: Date = Date()) throws(VaultError) -> [ExpiringCertificate] {
    let end = now.addingTimeInterval(Double(days) * 86_400)
    return try vault.list(KeychainCertificate.self).items
      .map { certificate throws(VaultError) in
        try ExpiringCertificate(certificate, asOf: now, before: end) { () throws(VaultError) in
          let search = ItemSearch(
            .certificate, group: certificate.accessGroup, reference: certificate.reference.identifier)
          return try vault.details(search)?.revision.address.item
        }
      }
      .compactMap(\.self)
      .sorted { ($0.notAfter, $0.label) < ($1.notAfter, $1.label) }
  }
}
