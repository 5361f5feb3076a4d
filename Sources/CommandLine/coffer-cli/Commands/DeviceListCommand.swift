internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferTerminal
internal import CofferVault

struct DeviceListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the machines of the vault, and the invitations of this machine that wait.",
    aliases: ["ls"])
  @Flag(help: "Also list machines that were removed.")
  var revoked = false
  @Flag(
    help:
      "List the invitations of this machine instead, with those that were used or have ended, for 7 days after their expiry."
  )
  var invitations = false
  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    if invitations && revoked { throw ValidationError("--invitations and --revoked exclude each other") }
  }

  func run() throws {
    let local = try LocalVault.openForReading(warn: Terminal.printError)
    guard !invitations else { return try InvitationRows.read(from: local, all: true).show(asJSON: json) }
    let status = try VaultStatus.read(from: local)
    try MachineRows(machines: status.machines + (revoked ? status.revokedMachines : [])).show(asJSON: json)
    guard !json, local.keysInMemory == nil else { return }
    let waiting = try InvitationRows.read(from: local, all: false)
    guard !waiting.isEmpty else { return }
    try Output.line("")
    try waiting.show(asJSON: false)
  }
}
