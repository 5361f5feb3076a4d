internal import Coffer
internal import CofferTerminal
internal import Foundation

/// Machines in a table, or in the output of `--json`.
struct MachineRows {
  let machines: [VaultStatus.Machine]

  private struct Row: Encodable {
    let name: String
    let machineID: String
    let isThisMachine: Bool
    let isAdmin: Bool
    let enrolled: Date
    let revoked: Date?
  }

  /// Prints the machines.
  func show(asJSON json: Bool) throws {
    guard !json else {
      return try Output.json(
        machines.map {
          Row(
            name: $0.name, machineID: $0.id, isThisMachine: $0.isThisOne, isAdmin: $0.isAdmin,
            enrolled: $0.enrolled, revoked: $0.revoked)
        })
    }
    try Output.table(
      [["MACHINE", "ID", "ROLE", "IN THE VAULT SINCE", ""]]
        + machines.map { machine in
          [
            Output.name(machine.name), String(machine.id.prefix(8)),
            machine.revoked != nil ? "none" : machine.isAdmin ? "admin" : "member",
            Output.date(machine.enrolled),
            machine.revoked.map { "taken out \(Output.date($0))" } ?? (machine.isThisOne ? "this machine" : ""),
          ]
        })
  }
}
