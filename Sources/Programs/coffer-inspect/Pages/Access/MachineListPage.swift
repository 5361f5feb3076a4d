internal import CofferInspection
internal import CofferSystem

/// The enrolled machines.
struct MachineListPage {
  let machines: [InspectedMachine]
  let names: TeamNames

  var page: Page {
    var page = Page(title: "Machines", place: .machines)
    page.lead = "The machines that are enrolled, what this one has seen of them, and what their keys open."
    page.content = div(.class("cards")) {
      for machine in machines { html(of: machine) }
    }
    return page
  }

  private func html(of machine: InspectedMachine) -> HTML {
    card(given(machine.name), id: machine.id) {
      div(.class("stack")) {
        div(.class("tags")) {
          if machine.isThisMachine { tag("This machine", "accent", icon: .machine) }
          machine.isAdmin ? tag("Admin", "", icon: .key) : tag("No admin")
        }
        facts([
          (
            "Last sign of life",
            machine.lastSign.map { sign in
              joined {
                moment(sign.time)
                p(.class("hint")) { text(names.shortened(sign.what)) }
              }
            } ?? (machine.isThisMachine ? "this is it" : "none since its enrolment")
          ),
          ("Enrolled", "\(moment(machine.enrolled)) by \(given(machine.enrolledBy))"),
          ("Membership", machine.isAdmin ? "its owner may change it" : "may not change it"),
          ("Records written", text(machine.recordCount.grouped)),
          ("Apps", apps(of: machine)),
          ("Identifier", code { text(machine.id) }),
        ])
        details {
          summary { "What a revocation would touch" }
          for sentence in machine.reach.sentences { p { text(sentence) } }
          if !machine.reach.groups.isEmpty {
            ul {
              for group in machine.reach.groups {
                li { a(.href(PageAddress("groups", group))) { given(names.short(group)) } }
              }
            }
          }
        }
      }
    }
  }

  private func apps(of machine: InspectedMachine) -> HTML {
    guard !machine.apps.isEmpty else { return "none" }
    return ul {
      for app in machine.apps {
        li {
          a(.href(PageAddress("apps", app.id))) { given(app.bundleID) }
          if let last = app.lastWrite { span(.class("hint")) { ", wrote last on \(moment(last))" } }
        }
      }
    }
  }
}
