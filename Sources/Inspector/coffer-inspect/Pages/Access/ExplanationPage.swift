internal import CofferAdministration
internal import CofferInspection
internal import CofferSystem

/// Why an app can or cannot read a group, or one item of it, on this machine.
struct ExplanationPage {
  let explanation: AccessExplanation
  /// The item; nil if the question is about the group.
  let item: ItemRow?
  /// The apps and groups that can be asked about.
  let apps: [AccessGraph.App]
  let groups: [AccessGraph.Group]
  /// The full identifier of the app whose rights the pages have; nil for the owner.
  let app: String?
  let names: TeamNames

  /// The address of the answer for an app and a group, or an item of it.
  static func address(of app: String, group: String, item: ItemReference? = nil) -> PageAddress {
    PageAddress("access", "why").with("app", app).with("group", group).with("class", item?.code)
      .with("reference", item?.text)
  }

  /// A form that asks for an explanation.
  static func question(@HTMLBuilder fields: () -> HTML) -> HTML {
    form(.class("filters"), .action(PageAddress("access", "why")), .method(.get)) {
      fields()
      submit("Explain")
    }
  }

  /// The fields of a form that asks about an item.
  static func subject(group: String, item: ItemReference) -> HTML {
    joined {
      hiddenField("group", group)
      hiddenField("class", item.code)
      hiddenField("reference", item.text)
    }
  }

  static func choice(of apps: [AccessGraph.App], selected: String? = nil) -> HTML {
    CofferInspectProgram.choice("App", "app", id: "why-app", apps.map { ($0.id, $0.name) }, selected: selected)
  }

  static func choice(of groups: [AccessGraph.Group], selected: String? = nil) -> HTML {
    CofferInspectProgram.choice(
      Term.group.html, "group", id: "why-group", groups.map { ($0.id, $0.name) }, selected: selected)
  }

  var page: Page {
    let can = explanation.canRead ? "can" : "cannot"
    let group = names.short(explanation.group)
    let subject = item.map { "\(DisplayText($0.title, limit: 60).text) in \(group)" } ?? group
    var page = Page(title: "Why \(names.short(explanation.app)) \(can) read \(subject)", place: place)
    page.path = path
    page.content = joined {
      Notice(
        kind: explanation.canRead ? .good : .warning, title: text(names.shortened(explanation.conclusion)),
        detail: p { "A program needs all of these conditions, in this order." }
      ).html
      card("Conditions", id: "conditions") {
        ol(.class("timeline")) {
          for link in explanation.links { html(of: link) }
        }
      }
      question
    }
    return page
  }

  private var place: Page.Place { app == nil ? .access : .apps }

  private var path: [Page.Step] {
    if let item {
      let place = ItemPlace(reference: item.reference, group: item.group)
      return [.group(explanation.group, names), Page.Step(name: item.title, address: place.address())]
    }
    let own = Page.Step(name: names.short(explanation.app), address: PageAddress("apps", explanation.app))
    return app == nil ? [Page.Step(name: "Who reads what", address: PageAddress("access")), own] : [own]
  }

  private func html(of link: AccessExplanation.Link) -> HTML {
    li(.class(link.state == .holds ? "now" : "")) {
      div(.class("what")) {
        h3 { text(link.title) }
        switch link.state {
        case .holds: tag("Holds", "good", icon: .done)
        case .ends: tag("Access ends here", "danger", icon: .warning)
        case .notReached: tag("Not reached")
        }
      }
      p { breaking(names.shortened(link.sentence)) }
      if let words = link.advice { p(.class("hint")) { advice(words) } }
    }
  }

  /// The form for another app or group. An app asks about its own groups only.
  @HTMLBuilder private var question: HTML {
    if app == nil || item == nil {
      card(item == nil ? "Ask about another app or group" : "Ask about another app", id: "question") {
        Self.question {
          app.map { hiddenField("app", $0) } ?? Self.choice(of: apps, selected: explanation.app)
          item.map { Self.subject(group: $0.group, item: $0.reference) }
            ?? Self.choice(of: groups, selected: explanation.group)
        }
      }
    }
  }
}
