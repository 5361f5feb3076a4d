internal import Coffer
internal import CofferInspection

/// The part of a page that shows or copies a value when a person asks for it. The value is fetched by the script, and
/// is never in the markup.
struct ValueForm {
  /// After so many seconds, a value is hidden again, and a copy is removed from the clipboard.
  static let seconds = 30

  /// Where the value is asked for.
  let address: PageAddress
  let csrf: String
  let revision: ItemRevision
  /// The version; nil for the current one.
  var version: String?
  /// What is required before the value is shown; nil if that is not known.
  let conditions: ValueGuard?
  /// Distinguishes the ids of several values on a page; empty for the only one.
  var suffix = ""
  /// What shows the value in a terminal.
  var command: String?

  var html: HTML {
    let output = "value\(suffix)"
    return form(
      .class("secret"), .method(.post), .action(address), .data(.reveal), .data(.seconds, String(Self.seconds))
    ) {
      hiddenField("revision", revision.text)
      if let version { hiddenField("version", version) }
      if let words = conditions?.conditions, !words.isEmpty {
        p { "The value requires \(words.joined(separator: " and "))." }
      }
      if conditions?.requiresPassphrase == true {
        secretField("This machine’s passphrase", "passphrase", id: "passphrase\(suffix)")
      }
      if conditions?.requiresApplicationPassword == true {
        secretField("Application password", "password", id: "password\(suffix)")
      }
      HTML.element(
        "output", [.id(output), .class("covered"), .label("Value"), .tabindex(0)], "••••••••••••")
      progress(.hidden(), .label("Time until the value is hidden")) { HTML() }
      div(.class("actions")) {
        button(.type("button"), .data(.show), .data(.key, "v"), .controls(output), .hidden()) {
          Icon.show.html
          "Show value"
        }
        button(.type("button"), .data(.hide), .data(.key, "v"), .controls(output), .hidden()) {
          Icon.show.html
          "Hide value"
        }
        button(.type("button"), .data(.copy), .data(.key, "c"), .hidden()) {
          Icon.copy.html
          "Copy value"
        }
      }
      p(.id("value-status\(suffix)"), .class("hint"), .role("status")) { HTML() }
      if suffix.isEmpty {
        p(.class("hint"), .data(.script), .hidden()) {
          """
          A shown value is hidden again after \(Self.seconds) seconds. A copied one is then removed from the clipboard, \
          if this page is still open and the browser allows it; programs that keep a history of the clipboard keep it.
          """
        }
      }
      noscript {
        p { "To show or copy a value, the page needs JavaScript." }
        if let command { p { "In a terminal: \(code { text(command) })" } }
      }
    }
  }
}
