internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferVault

struct DeviceListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the machines of the vault.", aliases: ["ls"])
  @Flag(help: "Also list machines that were taken out.")
  var revoked = false
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let status = try VaultStatus.read(from: LocalVault.openForReading(warn: Terminal.printError))
    try MachineRows(machines: status.machines + (revoked ? status.revokedMachines : [])).show(asJSON: json)
  }
}
