internal import CofferAdministration
internal import CofferInspection
internal import CofferSystem

/// Shows what removing a machine or an app from the vault does, and asks whether it is meant.
struct RemovalPage {
  let removal: InspectedRemoval
  /// Why it was not removed; nil before the first attempt.
  var failure: String?
  let names: TeamNames
  let csrf: String

  private var preview: RemovalPreview { removal.preview }

  /// The page that shows a removal, and that its form is sent to.
  static func address(of subject: InspectedRemoval.Subject) -> PageAddress {
    switch subject {
    case .machine(let id): PageAddress("machines", id, "remove")
    case .app(let id, let machine): PageAddress("apps", id, "remove").with("machine", machine)
    }
  }

  /// A link to the page. The label is what a screen reader says in place of the words, if they need what is beside
  /// them.
  static func link(to subject: InspectedRemoval.Subject, _ words: HTML, label: String? = nil) -> HTML {
    p {
      linkButton(
        words, .delete, to: address(of: subject), style: label == nil ? "danger" : "small danger",
        .label(label))
    }
  }

  var page: Page {
    let place: Page.Place = if case .machine = removal.subject { .machines } else { .apps }
    var page = Page(title: title, place: place)
    page.path = path
    page.lead = "Look at what this does, then confirm it. Nothing has changed yet."
    page.notice = .failure("Nothing was removed from the vault.", failure)
    page.content = div(.class("columns")) {
      card("What this does", id: "preview") { effects }
      card("Confirm", id: "confirm") {
        if preview.needsVaultKey { command } else { form }
      }
    }
    return page
  }

  private var title: String {
    guard let app = removal.app else { return "Remove \(removal.machine ?? "") from the vault?" }
    return removal.machine.map { "Remove \(app) on \($0)?" } ?? "Remove \(app) from the vault?"
  }

  /// The page of the machine or the app.
  private var subject: PageAddress {
    switch removal.subject {
    case .machine(let id): PageAddress("machines", id)
    case .app(let id, _): PageAddress("apps", id)
    }
  }

  private var path: [Page.Step] {
    let list = removal.app == nil ? ("Machines", "machines") : ("Apps", "apps")
    return [
      Page.Step(name: list.0, address: PageAddress(list.1)),
      Page.Step(name: removal.app ?? removal.machine ?? "", address: subject),
    ]
  }

  private var effects: HTML {
    facts(preview.effects.map { (text($0.title), value(of: $0)) })
  }

  private func value(of effect: RemovalEffect) -> HTML {
    joined {
      switch effect.subject {
      case .apps(let apps): apps.isEmpty ? "none" : links(apps, below: "apps")
      case .groups(let groups): groups.isEmpty ? "none" : links(groups, below: "groups")
      case .others(let names): list(names)
      case .number(let number): text(number.grouped)
      }
      effect.note.map { note in p(.class("hint")) { text(note.asSentence) } }
    }
  }

  private func list(_ items: [String]) -> HTML { ul { for item in items { li { given(item) } } } }

  private func links(_ full: [String], below page: String) -> HTML {
    ul {
      for name in full { li { a(.href(PageAddress(page, name))) { dotted(names.short(name)) } } }
    }
  }

  private var command: HTML {
    joined {
      p { "Only the vault key removes an admin’s machine, so that a stolen one cannot do it." }
      p { "The pages never ask for the vault key. Run this command in a terminal of this machine, which does:" }
      pre(.class("block"), .tabindex(0), .label("Command")) { text(removal.command ?? "coffer device revoke NAME") }
      div(.class("actions")) { linkButton("Back", to: subject) }
    }
  }

  private var form: HTML {
    changeForm(Self.address(of: removal.subject), csrf: csrf, fields: ["scope": preview.scope], .class("stack")) {
      p(.class("hint")) { consequence }
      if removal.requiresPassphrase {
        secretField("Passphrase of this machine", "passphrase", .required())
      }
      checkField("Remove it. This cannot be undone.", "sure")
      formEnd(submit("Remove from the vault", .delete, style: "danger"), cancel: subject)
    }
  }

  private var consequence: HTML {
    switch removal.subject {
    case .machine: "To come back, the machine has to clone the vault again, as a new one."
    case .app(_, nil): "The app’s items stay. To come back, it has to be registered again."
    case .app:
      "The app stays registered and keeps its rights on other machines. To come back there, it needs a new credential."
    }
  }
}
