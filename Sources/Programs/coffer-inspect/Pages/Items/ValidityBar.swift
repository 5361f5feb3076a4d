internal import CofferInspection
internal import CofferSystem
internal import Foundation

/// The validity of a certificate as a bar, with the same in words.
struct ValidityBar {
  let validity: CertificateValidity
  let now: Date

  init(_ validity: CertificateValidity, now: Date) {
    self.validity = validity
    self.now = now
  }

  private var kind: String {
    if now < validity.notBefore || now > validity.notAfter { return "danger" }
    return validity.notAfter.timeIntervalSince(now) < ItemRequest.expiryNotice ? "warning" : "good"
  }

  var html: HTML {
    let words = validity.words(at: now)
    let share = Int(validity.elapsedShare(at: now) * 1000)
    return div(.class("validity \(kind)")) {
      tag(text(words.startingSentence), kind, icon: kind == "good" ? .done : .warning)
      HTML.element(
        "svg", [.viewBox("0 0 1000 10"), .preserveAspectRatio("none"), .decorative],
        joined {
          HTML.element("rect", [.class("track"), .width(1000), .height(10)], HTML())
          HTML.element("rect", [.class("used"), .width(share), .height(10)], HTML())
        })
      div(.class("ends")) {
        span { "From \(day(validity.notBefore))" }
        span { "until \(day(validity.notAfter))" }
      }
    }
  }
}
