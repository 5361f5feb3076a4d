internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferPlatform
internal import CofferTerminal
internal import CofferVault

struct DeviceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device",
    abstract: "List the machines of a vault, invite, rename and remove machines, and create headless credentials.",
    subcommands: [
      DeviceListCommand.self, DeviceInviteCommand.self, DeviceApproveCommand.self, DeviceCreateCommand.self,
      DeviceRenameCommand.self, DeviceRevokeCommand.self,
    ])
}

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
  @OptionGroup var output: ReportOptions

  func validate() throws {
    if invitations && revoked { throw ValidationError("--invitations and --revoked exclude each other") }
  }

  func run() throws {
    let local = try LocalVault.openForReading(warn: Terminal.printError)
    guard !invitations else { return try InvitationRows.read(from: local, all: true).show(output) }
    let status = try VaultStatus.read(from: local)
    try MachineRows(machines: status.machines + (revoked ? status.revokedMachines : [])).show(output)
    guard !output.json, local.keysInMemory == nil else { return }
    let waiting = try InvitationRows.read(from: local, all: false)
    guard !waiting.isEmpty else { return }
    try Output.line("")
    try waiting.show(output)
  }
}

/// Machines in a table, or in the output of `--json`.
struct MachineRows {
  let machines: [VaultMachine]

  /// Prints the machines.
  func show(_ output: ReportOptions) throws {
    try output.show(machines, ["MACHINE", "ID", "ROLE", "IN THE VAULT SINCE", ""], fields: \.json) { machine in
      [
        Output.name(machine.name), String(machine.id.prefix(8)), role(of: machine), Output.date(machine.enrolled),
        notes(on: machine),
      ]
    }
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

struct DeviceRenameCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename", abstract: "Give a machine of the vault another name.",
    discussion: """
      This machine, another one, or a headless credential. Keys and rights stay. An admin does this; the other machines show \
      the new name after their next sync, also for what was written before, and `coffer log` shows the old one.

      No two machines of the vault get the same name. The name of a machine that was removed is free again.
      """)
  @Argument(
    help: ArgumentHelp(
      "The machine's name, or the beginning of its identifier, see: coffer device list", valueName: "name"))
  var name: String
  @Argument(help: ArgumentHelp("The new name, of at most 128 bytes.", valueName: "new-name"))
  var newName: String
  @OptionGroup var output: ReportOptions
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var claims: ClaimOptions

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    // By its identifier: another machine could get the name during the sync.
    let machine = try local.memberMachine(named: name)
    let change = MembershipChange(in: local, allowingLogFork: claims.allowsLogFork)
    // What can be checked is checked before anybody is asked.
    let former = try change.checkRenaming(of: machine, to: newName)
    let source = passphrase.source(of: local).rememberingFirst()
    try SyncProgram.publication.change(local) { (_) throws(VaultError) in
      try change.rename(machine, to: newName, passphrase: source)
    }
    try output.show(
      ["name": newName, "formerName": former, "machineID": machine.description],
      "\(Output.cell(former)) is now named \(Output.cell(newName)).")
  }
}
