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
      rowTable(
        "By each machine’s own clock, as of the last sync", [("Machine", nil), ("Last sign of life", nil)]
      ) {
        for machine in status.machines where !machine.isThisMachine && machine.expires == nil { row(of: machine) }
      }
    }
  }

  private func row(of machine: VaultMachine) -> HTML {
    let now = now ?? status.time
    return tr {
      nameCell(.machine, given(machine.name), opens: PageAddress("machines", machine.id))
      td {
        machine.lastWrite.map { signOfLife($0, asOf: now) } ?? "none since its enrolment"
        if let days = machine.silentDays(asOf: now) { " \(silentTag(days))" }
      }
    }
  }
}
