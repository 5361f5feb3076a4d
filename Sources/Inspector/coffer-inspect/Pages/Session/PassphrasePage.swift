internal import CofferCrypto
internal import CofferInspection
internal import CofferVault
internal import HTTPTypes
internal import Hummingbird

/// The form that changes this machine's passphrase, or sets the first one.
struct PassphrasePage {
  /// Whether the machine has a passphrase.
  let hasPassphrase: Bool
  var failure: String?
  let csrf: String

  static let address = PageAddress("passphrase")

  /// A link to the page.
  static func link(hasPassphrase: Bool) -> HTML {
    linkButton(hasPassphrase ? "Change passphrase" : "Set a passphrase", to: address, style: "small")
  }

  var page: Page {
    var page = Page(title: hasPassphrase ? "Change passphrase" : "Set a passphrase", place: .machines)
    page.path = [Page.Step(name: "Machines", address: PageAddress("machines"))]
    page.lead = "It protects the keys of this machine’s owner. Each machine has its own."
    page.notice = .failure("The passphrase was not changed.", failure)
    page.content = card("Passphrase of this machine", id: "passphrase-card") {
      changeForm(Self.address, csrf: csrf, .class("stack narrow-form")) {
        if hasPassphrase {
          secretField("Current passphrase", "current", autocomplete: "current-password", .required())
        }
        secretField(
          "New passphrase", "new", autocomplete: "new-password", hint: "The longer, the better: at least 8 bytes.",
          .required())
        secretField("New passphrase, once more", "repeated", autocomplete: "new-password", .required())
        p(.class("hint")) {
          """
          Programs that have the vault open continue. The keys stay the same: whoever has an older copy of the vault’s \
          folder \(hasPassphrase ? "and knows the old passphrase can still use them" : "needs no passphrase to use them").
          """
        }
        formEnd(submit(hasPassphrase ? "Change passphrase" : "Set passphrase", style: "primary"), cancel: PageAddress())
      }
    }
    return page
  }
}

/// The change of this machine's passphrase, which is the owner's.
extension Pages {
  func addPassphrase(to routes: PageRoutes) {
    routes.page("passphrase", ownerOnly: true) { vault, visit in
      PassphrasePage(hasPassphrase: try vault.hasPassphrase, csrf: visit.csrf).page
    }
    routes.form("passphrase", ownerOnly: true) { vault, visit in try changePassphrase(vault, visit) }
  }

  private func changePassphrase(_ vault: InspectedVault, _ visit: Visit) throws -> Answer {
    guard let new = visit.form.secret("new"), let repeated = visit.form.secret("repeated") else {
      throw Self.malformed
    }
    let current = visit.form.filledSecret("current")
    do throws(VaultError) {
      try vault.changePassphrase(from: current, to: new, repeated: repeated, attempt: inspector.attempt)
    } catch {
      guard error.code == .authenticationFailed || error.code == .invalidArgument, !inspector.isLocked else {
        throw error
      }
      let page = PassphrasePage(
        hasPassphrase: try vault.hasPassphrase, failure: FailurePage.words(error), csrf: visit.csrf)
      return .show(page.page, .unprocessableContent)
    }
    let isShort = new.count < InspectedVault.shortPassphraseByteCount
    return .done(PageAddress().with("done", Done.passphrase.rawValue).with("short", isShort ? "1" : nil))
  }
}
