internal import Coffer
internal import CofferAdministration
internal import CofferInspection
internal import CofferPlatform
internal import CofferSystem

/// When this machine has heard of each other machine last.
struct LastSignCard {
  let status: VaultStatus
  /// The time to compare with; nil for that at which the state was read.
  var now: Date?

  var html: HTML {
    card("Last signs of life", id: "signs", isFlush: true) {
      div(.class("scroll")) {
        table(.class("rows"), .data(.list)) {
          caption { "By each machine’s own clock, as of the last sync" }
          thead {
            tr {
              th(.scope("col")) { "Machine" }
              th(.scope("col")) { "Last sign of life" }
            }
          }
          tbody {
            for machine in status.machines where !machine.isThisOne && machine.expires == nil { row(of: machine) }
          }
        }
      }
    }
  }

  private func row(of machine: VaultStatus.Machine) -> HTML {
    let now = now ?? status.time
    return tr {
      th(.scope("row")) {
        div(.class("item-name")) {
          Icon.machine.html
          a(.class("open"), .href(PageAddress("machines", machine.id))) { given(machine.name) }
        }
      }
      td {
        machine.lastWrite.map { signOfLife($0, asOf: now) } ?? "none since its enrolment"
        if let days = machine.silentDays(asOf: now) { " \(silentTag(days))" }
      }
    }
  }
}
