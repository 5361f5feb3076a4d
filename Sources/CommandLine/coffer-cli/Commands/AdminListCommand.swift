internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferTerminal
internal import CofferVault

struct AdminListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the machines whose owners may change the membership.", aliases: ["ls"])
  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let status = try VaultStatus.read(from: LocalVault.openForReading(warn: Terminal.printError))
    try MachineRows(machines: status.machines.filter(\.isAdmin)).show(asJSON: json)
  }
}
