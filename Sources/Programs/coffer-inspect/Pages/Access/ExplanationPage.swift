internal import Coffer
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

  /// The address of the answer for an app and an item.
  static func address(of app: String, group: String, item: ItemReference) -> PageAddress {
    PageAddress("access", "why").with("app", app).with("group", group).with("class", item.code)
      .with("reference", item.text)
  }

  /// The fields of a form that asks about an item.
  static func subject(group: String, item: ItemReference) -> HTML {
    joined {
      input(.type("hidden"), .name("group"), .value(group))
      input(.type("hidden"), .name("class"), .value(item.code))
      input(.type("hidden"), .name("reference"), .value(item.text))
    }
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
    let group = Page.Step(name: names.short(explanation.group), address: PageAddress("groups", explanation.group))
    if let item {
      let place = ItemPlace(reference: item.reference, group: item.group)
      return [group, Page.Step(name: item.title, address: place.address())]
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
        form(.class("filters few"), .action(PageAddress("access", "why")), .method(.get)) {
          if let app {
            input(.type("hidden"), .name("app"), .value(app))
          } else {
            div(.class("field")) {
              label(.for("why-app")) { "App" }
              selection(.id("why-app"), .name("app")) {
                for app in apps {
                  option(.value(app.id), .selected(app.id == explanation.app)) { text(app.name) }
                }
              }
            }
          }
          if let item {
            Self.subject(group: item.group, item: item.reference)
          } else {
            div(.class("field")) {
              label(.for("why-group")) { Term.group.html }
              selection(.id("why-group"), .name("group")) {
                for group in groups {
                  option(.value(group.id), .selected(group.id == explanation.group)) { text(group.name) }
                }
              }
            }
          }
          button(.type("submit")) { "Explain" }
        }
      }
    }
  }
}
