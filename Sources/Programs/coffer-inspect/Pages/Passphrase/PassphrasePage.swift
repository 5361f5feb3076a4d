/// The form that changes this machine's passphrase, or sets the first one.
struct PassphrasePage {
  /// Whether the machine has a passphrase.
  let hasPassphrase: Bool
  var failure: String?
  let csrf: String

  static let address = PageAddress("passphrase")

  /// A link to the page.
  static func link(hasPassphrase: Bool) -> HTML {
    a(.class("button small"), .href(address)) { hasPassphrase ? "Change passphrase" : "Set a passphrase" }
  }

  var page: Page {
    var page = Page(title: hasPassphrase ? "Change passphrase" : "Set a passphrase", place: .machines)
    page.path = [Page.Step(name: "Machines", address: PageAddress("machines"))]
    page.lead = "It protects the keys of this machine’s owner. Each machine has its own."
    page.notice = failure.map { words in
      Notice(kind: .danger, title: "The passphrase was not changed.", detail: p { advice(words) })
    }
    page.content = card("Passphrase of this machine", id: "passphrase-card") {
      form(.class("stack narrow-form"), .method(.post), .action(Self.address)) {
        csrfField(csrf)
        if hasPassphrase { secret("Current passphrase", "current", "current-password") }
        secret("New passphrase", "new", "new-password", hint: "The longer, the better: at least 8 bytes.")
        secret("New passphrase, once more", "repeated", "new-password")
        p(.class("hint")) {
          """
          Programs that have the vault open continue. The keys stay the same: whoever has an older copy of the vault’s \
          folder \(hasPassphrase ? "and knows the old passphrase can still use them" : "needs no passphrase to use them").
          """
        }
        div(.class("actions")) {
          button(.type("submit"), .class("primary")) { hasPassphrase ? "Change passphrase" : "Set passphrase" }
          a(.class("button"), .href(PageAddress())) { "Cancel" }
        }
      }
    }
    return page
  }

  private func secret(_ title: HTML, _ name: String, _ autocomplete: String, hint: HTML? = nil) -> HTML {
    div(.class("field")) {
      label(.for(name)) { title }
      input(
        .id(name), .type("password"), .name(name), .autocomplete(autocomplete), .required(),
        .describedBy(hint == nil ? nil : "\(name)-hint"))
      hint.map { hint in p(.id("\(name)-hint"), .class("hint")) { hint } }
    }
  }
}
