internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferInspection
internal import CofferTerminal
internal import CofferVault

struct AdminCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "admin", abstract: "List the admins of a vault, and make machines admins or members.",
    discussion: """
      A machine is an admin or a member. The owner of an admin changes the membership: registers apps, gives them to \
      machines, enrols members; and reads and writes every group. A member has only the apps that an admin has given to it.
      """,
    subcommands: [AdminAddCommand.self, AdminListCommand.self, AdminRemoveCommand.self])
}

struct AdminListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the machines whose owners may change the membership.", aliases: ["ls"])
  @OptionGroup var output: ReportOptions

  func run() throws {
    let status = try VaultStatus.read(from: LocalVault.openForReading(warn: Terminal.printError))
    try MachineRows(machines: status.machines.filter(\.isAdmin)).show(output)
  }
}

struct AdminAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Make a member an admin.",
    discussion: """
      Asks for the vault key, on whichever machine of the vault this is run: whoever steals an admin's machine must not be \
      able to make others admins. The new admin has its keys after its next sync, and needs no further command.
      """)
  @Argument(
    help: ArgumentHelp(
      "The machine's name, or the beginning of its identifier, see: coffer device list", valueName: "name"))
  var name: String
  @OptionGroup var vaultKey: VaultKeyOptions
  @OptionGroup var claims: ClaimOptions

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    // What can be checked is checked before anybody is asked.
    let machine = try local.memberMachine(named: name)
    let change = MembershipChange(in: local, allowingLogFork: claims.allowsLogFork)
    try change.checkAppointment(of: machine)
    // An admin could have enrolled a machine of its own under this name.
    if let known = try AccessFacts.read(from: local, withActivity: false).machine(machine.description) {
      Terminal.printNote(
        "\(Output.cell(name)) was enrolled by \(known.enrolledBy) on \(Output.date(known.enrolled)).")
    }
    let key = try vaultKey.key(of: local, because: VaultKeyOptions.reasonForAdmin)
    try SyncProgram.publication.change(local) { (_) throws(VaultError) in
      try change.appoint(machine, with: key)
    }
    try Output.line("\(Output.cell(name)) is an admin after its next sync.")
  }
}

struct AdminRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Make an admin a member.",
    discussion: """
      The machine stays in the vault and keeps its apps. Nothing that its owner signs from now on counts, and every group \
      gets a new key. What its owner has done before stays; to undo it, see: coffer log --signed-by NAME. To take the machine \
      out with everything on it, use: coffer device revoke

      An admin knows the keys of the apps that it gave to other machines, and could go on with them. These apps lose their \
      rights there, until another admin gives them again: coffer app install APP --on NAME. Machines that the admin has \
      enrolled stay, and are listed: remove those that you do not know, with `coffer device revoke`.

      Asks for the vault key, so that whoever steals an admin's machine cannot remove the others. The last admin cannot be \
      removed.
      """,
    aliases: ["rm"])
  @Argument(
    help: ArgumentHelp(
      "The machine's name, or the beginning of its identifier, see: coffer admin list", valueName: "name"))
  var name: String
  @OptionGroup var removal: RemovalOptions

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    let machine = try local.memberMachine(named: name)
    try removal.run(local, .admin(machine)) { _ in "\(Output.cell(name)) is a member." }
  }
}
