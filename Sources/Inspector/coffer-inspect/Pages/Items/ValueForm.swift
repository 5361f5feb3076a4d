internal import Coffer
internal import CofferInspection
internal import CofferSystem

/// The line of a page that shows or copies a value, or a one-time code, when a person asks for it. Scripts fetch it:
/// it is never in the markup.
struct ValueForm {
  /// What a form shows.
  enum Subject: String { case value, code }

  /// After so many seconds, a value is hidden again, and a copy is removed from the clipboard.
  static let seconds = 30

  var subject = Subject.value
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

  private var word: String { subject.rawValue }

  var html: HTML {
    let output = "\(word)\(suffix)"
    return form(
      .class("secret"), .method(.post), .action(address), .data(.reveal, word), .data(.seconds, String(Self.seconds))
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
      div(.class("secret-line")) {
        HTML.element(
          "output", [.id(output), .class("covered"), .label(word.startingSentence), .tabindex(0)],
          subject == .code ? "••• •••" : "••••••••••••")
        span(.class("ring"), .decorative, .hidden()) { HTML() }
        iconButton("Show \(word)", .show, .show, key: subject == .value ? "v" : nil, .controls(output))
        iconButton("Hide \(word)", .cover, .hide, key: subject == .value ? "v" : nil, .controls(output))
        iconButton("Copy \(word)", .copy, .copy, key: subject == .value ? "c" : "o", .title(Self.clipboard(word)))
        if subject == .code { iconButton("Show QR code", .code, .qr) }
      }
      p(.id("\(word)-status\(suffix)"), .class("hint"), .role("status")) { HTML() }
      if subject == .value {
        noscript {
          p { "To show or copy a value, the page needs JavaScript." }
          if let command { p { "In a terminal: \(code { text(command) })" } }
        }
      }
    }
  }

  private static func clipboard(_ word: String) -> String {
    """
    Copy \(word). After \(seconds) seconds it is removed from the clipboard, or when this page is used next, \
    whatever it holds then; programs that keep a history of the clipboard keep it.
    """
  }
}

/// A button that shows a drawing in place of its words, for what only a script can do: it is hidden without one.
func iconButton(
  _ words: String, _ icon: Icon, _ purpose: DataPurpose, key: String? = nil, _ attributes: Attribute...
) -> HTML {
  .element(
    "button",
    [.type("button"), .class("icon-button"), .label(words), .data(purpose), .hidden()] + attributes + [.title(words)]
      + (key.map { [.data(.key, $0)] } ?? []), icon.html)
}
