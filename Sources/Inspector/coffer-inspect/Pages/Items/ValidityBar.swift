internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem

/// The validity of a certificate as a bar, with the same in words.
struct ValidityBar {
  let validity: Validity
  let now: Date

  var html: HTML {
    let state = ValidityTag(validity, at: now)
    let share = Int(validity.elapsedShare(at: now) * 1000)
    return div(.class("validity \(state.kind)")) {
      state.html
      HTML.element(
        "svg", [.viewBox("0 0 1000 10"), .preserveAspectRatio("none"), .decorative],
        joined {
          HTML.element("rect", [.class("track"), .width(1000), .height(10)], HTML())
          HTML.element("rect", [.class("used"), .width(share), .height(10)], HTML())
        })
      div(.class("ends")) {
        if let start = validity.start { span { "From \(day(start))" } }
        span { "until \(day(validity.end))" }
      }
    }
  }
}
