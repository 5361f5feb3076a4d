internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferVault
internal import Foundation

struct DeviceListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the machines of the vault.", aliases: ["ls"])
  @Flag(help: "Also list machines that were taken out.")
  var revoked = false
  @Flag(help: "Print JSON.")
  var json = false

  private struct Row: Encodable {
    let name: String
    let machineID: String
    let isThisMachine: Bool
    let isAdmin: Bool
    let enrolled: Date
    let revoked: Date?
  }

  func run() throws {
    let status = try VaultStatus.read(from: LocalVault.open(VaultFolder(.standard())))
    let machines = status.machines + (revoked ? status.revokedMachines : [])
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
