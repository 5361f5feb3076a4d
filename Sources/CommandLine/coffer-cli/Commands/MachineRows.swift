internal import Coffer
internal import CofferAdministration
internal import CofferPlatform
internal import CofferTerminal

/// Machines in a table, or in the output of `--json`.
struct MachineRows {
  let machines: [VaultMachine]

  /// Prints the machines.
  func show(asJSON json: Bool) throws {
    guard !json else {
      return try Output.json(machines.map(\.json))
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

  private func role(of machine: VaultMachine) -> String {
    guard machine.revoked == nil else { return "none" }
    guard machine.expires == nil else { return "read-only" }
    return machine.isAdmin ? "admin" : "member"
  }

  private func notes(on machine: VaultMachine) -> String {
    if let revoked = machine.revoked { return "removed \(Output.date(revoked))" }
    let expiry = machine.expires.map { "\(machine.isExpired ? "expired" : "expires") \(Output.date($0))" }
    return [machine.isThisMachine ? "this machine" : nil, expiry].compactMap(\.self).joined(separator: ", ")
  }
}
