package import Foundation

/// The time for which a certificate was issued. Nothing is verified.
package struct CertificateValidity: Sendable, Hashable {
  package let notBefore: Date
  package let notAfter: Date

  /// Returns the share of the time that has passed: 0 before it, 1 after it.
  package func elapsedShare(at now: Date) -> Double {
    let whole = notAfter.timeIntervalSince(notBefore)
    guard whole > 0 else { return now < notBefore ? 0 : 1 }
    return min(max(now.timeIntervalSince(notBefore) / whole, 0), 1)
  }

  /// Returns the number of whole days until the end; negative after it.
  package func daysLeft(at now: Date) -> Int {
    Int((notAfter.timeIntervalSince(now) / 86_400).rounded(.down))
  }

  /// Returns the state in words: "valid for 12 more days".
  package func words(at now: Date) -> String {
    if now < notBefore { return "not valid yet" }
    if now > notAfter { return "expired" }
    let days = daysLeft(at: now)
    return "valid for \(days) more day\(days == 1 ? "" : "s")"
  }
}
