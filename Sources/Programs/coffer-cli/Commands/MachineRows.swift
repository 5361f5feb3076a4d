internal import Coffer
internal import CofferAdministration
internal import CofferPlatform
internal import CofferTerminal

/// Machines in a table, or in the output of `--json`.
struct MachineRows {
  let machines: [VaultStatus.Machine]

  private struct Row: Encodable {
    let name: String
    let machineID: String
    let isThisMachine: Bool
    let isAdmin: Bool
    let enrolled: Date
    let expires: Date?
    let isExpired: Bool
    let revoked: Date?
  }

  /// Prints the machines.
  func show(asJSON json: Bool) throws {
    guard !json else {
      return try Output.json(
        machines.map {
          Row(
            name: $0.name, machineID: $0.id, isThisMachine: $0.isThisOne, isAdmin: $0.isAdmin,
            enrolled: $0.enrolled, expires: $0.expires, isExpired: $0.isExpired, revoked: $0.revoked)
        })
    }
    try Output.table(
      [["MACHINE", "ID", "ROLE", "IN THE VAULT SINCE", ""]]
        + machines.map { machine in
          [
            Output.name(machine.name), String(machine.id.prefix(8)),
            role(of: machine),
            Output.date(machine.enrolled),
            notes(on: machine),
          ]
        })
  }

  private func role(of machine: VaultStatus.Machine) -> String {
    guard machine.revoked == nil else { return "none" }
    guard machine.expires == nil else { return "read-only" }
    return machine.isAdmin ? "admin" : "member"
  }

  private func notes(on machine: VaultStatus.Machine) -> String {
    if let revoked = machine.revoked { return "removed \(Output.date(revoked))" }
    let expiry = machine.expires.map { "\(machine.isExpired ? "expired" : "expires") \(Output.date($0))" }
    return [machine.isThisOne ? "this machine" : nil, expiry].compactMap(\.self).joined(separator: ", ")
  }
}
