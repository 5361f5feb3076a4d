internal import Coffer
internal import CofferAdministration
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

/// The epoch that this machine follows, when the next one begins, and the epochs before.
struct EpochCard {
  let status: VaultStatus
  let epochs: EpochHistory

  var html: HTML {
    card("Epoch \(Int(status.epoch.number).grouped)", id: "epochs") {
      div(.class("stack")) {
        facts([
          ("Size", text(status.epochSize)),
          ("Begun", begun(status.epoch)),
          ("Next epoch", advice(next)),
        ])
        if epochs.epochs.count > 1 { chain }
      }
    }
  }

  /// What begins the next epoch.
  private var next: String {
    let size =
      if let limit = epochs.limit {
        "\(Output.size(limit.lowest)), at the latest \(Output.size(limit.highest))"
      } else {
        "\(Output.size(EpochLimit.standardByteCount)) and about four times that of a snapshot"
      }
    return "An admin’s machine begins it in a sync when this size exceeds \(size), or at once with `coffer compact`."
  }

  private func begun(_ epoch: VaultEpoch) -> HTML {
    guard let begun = epoch.begun else { return "its checkpoint is not here" }
    guard let beginner = epoch.beginner else { return moment(begun) }
    return "\(moment(begun)) by \(given(beginner))"
  }

  private var chain: HTML {
    scrolling("Epochs") {
      table(.class("rows")) {
        caption { "Each epoch names the one before it" }
        headings([("Epoch", nil), ("Begun", nil)])
        tbody {
          for epoch in epochs.epochs {
            tr {
              th(.scope("row")) {
                text(Int(epoch.number).grouped)
                if epoch == status.epoch { " \(tag("Current", "accent"))" }
              }
              td { begun(epoch) }
            }
          }
        }
      }
      if epochs.earlierCount > 0 {
        p(.class("hint")) { "\(counted(epochs.earlierCount, "earlier epoch")) are not listed." }
      }
    }
  }
}
