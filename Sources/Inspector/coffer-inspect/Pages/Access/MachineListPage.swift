internal import Coffer
internal import CofferAdministration
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem

/// The machines of the vault, and those that were removed.
struct MachineListPage {
  let machines: [InspectedMachine]
  /// The machines that were removed, the last one first.
  let removed: [InspectedMachine]
  let names: TeamNames
  /// The time to compare with.
  var now = Date()

  var page: Page {
    var page = Page(title: "Machines", place: .machines)
    page.lead = "The machines that are enrolled, and what this one has seen of them."
    page.content = joined {
      div(.class("cards")) {
        for machine in machines { html(of: machine) }
      }
      if !removed.isEmpty { former }
    }
    return page
  }

  private func html(of machine: InspectedMachine) -> HTML {
    let facts = MachineFacts(machine: machine, names: names, now: now)
    return card(a(.href(PageAddress("machines", machine.id))) { given(machine.name) }, id: machine.id) {
      div(.class("stack")) {
        facts.tags
        facts.list
      }
    }
  }

  private var former: HTML {
    card("Removed from the vault", id: "removed", isFlush: true) {
      rowTable(text(counted(removed.count, "machine")), [("Machine", nil), ("Removed", nil)]) {
        for machine in removed {
          tr {
            nameCell(.machine, given(machine.name), opens: PageAddress("machines", machine.id))
            td { machine.revocation.map { "\(moment($0.time)) by \(given($0.signer))" } }
          }
        }
      }
    }
  }
}
