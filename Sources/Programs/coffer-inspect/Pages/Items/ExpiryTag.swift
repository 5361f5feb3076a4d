internal import CofferInspection
internal import Foundation

/// Says whether something is valid, by the end of its validity.
struct ExpiryTag {
  let end: Date
  let now: Date

  init(_ end: Date, now: Date = Date()) {
    self.end = end
    self.now = now
  }

  var html: HTML {
    let days = Int((abs(end.timeIntervalSince(now)) / 86_400).rounded(.down))
    if end < now {
      return tag(text(days == 0 ? "Expired today" : "Expired \(counted(days, "day")) ago"), "danger", icon: .warning)
    }
    if end.timeIntervalSince(now) < ItemRequest.expiryNotice {
      return tag(text(days == 0 ? "Expires today" : "Expires in \(counted(days, "day"))"), "warning", icon: .warning)
    }
    return tag("Valid until \(day(end))", "good", icon: .done)
  }
}
