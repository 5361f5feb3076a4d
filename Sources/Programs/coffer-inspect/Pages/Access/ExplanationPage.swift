internal import Coffer
internal import CofferInspection
internal import CofferSystem

/// Why an app can or cannot read a group on this machine.
struct ExplanationPage {
  let explanation: AccessExplanation
  let graph: AccessGraph
  let names: TeamNames

  var page: Page {
    let can = explanation.canRead ? "can" : "cannot"
    var page = Page(
      title: "Why \(names.short(explanation.app)) \(can) read \(names.short(explanation.group))", place: .access)
    page.path = [
      Page.Step(name: "Who reads what", address: PageAddress("access")),
      Page.Step(name: names.short(explanation.app), address: PageAddress("apps", explanation.app)),
    ]
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
      p { text(names.shortened(link.sentence)) }
      if let words = link.advice { p(.class("hint")) { advice(words) } }
    }
  }

  /// The form for another app or group.
  private var question: HTML {
    card("Ask about another app or group", id: "question") {
      form(.class("filters few"), .action(PageAddress("access", "why")), .method(.get)) {
        div(.class("field")) {
          label(.for("why-app")) { "App" }
          selection(.id("why-app"), .name("app")) {
            for app in graph.apps {
              option(.value(app.id), .selected(app.id == explanation.app)) { text(app.name) }
            }
          }
        }
        div(.class("field")) {
          label(.for("why-group")) { "Group" }
          selection(.id("why-group"), .name("group")) {
            for group in graph.groups {
              option(.value(group.id), .selected(group.id == explanation.group)) { text(group.name) }
            }
          }
        }
        button(.type("submit")) { "Explain" }
      }
    }
  }
}
