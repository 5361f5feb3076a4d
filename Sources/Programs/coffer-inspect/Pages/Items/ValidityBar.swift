internal import CofferInspection
internal import CofferSystem
internal import Foundation

/// The validity of a certificate as a bar, with the same in words.
struct ValidityBar {
  let certificate: CertificateDetails
  let now: Date

  init(_ certificate: CertificateDetails, now: Date) {
    self.certificate = certificate
    self.now = now
  }

  private var kind: String {
    if now < certificate.notBefore || now > certificate.notAfter { return "danger" }
    return certificate.notAfter.timeIntervalSince(now) < ItemRequest.expiryNotice ? "warning" : "good"
  }

  var html: HTML {
    let words = certificate.validity(at: now)
    let share = Int(certificate.elapsedShare(at: now) * 1000)
    return div(.class("validity \(kind)")) {
      tag(text(words.startingSentence), kind, icon: kind == "good" ? .done : .warning)
      HTML.element(
        "svg", [.viewBox("0 0 1000 10"), .preserveAspectRatio("none"), .decorative],
        joined {
          HTML.element("rect", [.class("track"), .width(1000), .height(10)], HTML())
          HTML.element("rect", [.class("used"), .width(share), .height(10)], HTML())
        })
      div(.class("ends")) {
        span { "From \(day(certificate.notBefore))" }
        span { "until \(day(certificate.notAfter))" }
      }
    }
  }
}
