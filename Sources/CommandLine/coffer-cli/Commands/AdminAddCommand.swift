internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferInspection
internal import CofferTerminal
internal import CofferVault

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
    let appointment = Appointment(of: machine, in: local, despiteClaims: claims.despiteClaims)
    try appointment.check()
    // An admin could have enrolled a machine of its own under this name.
    if let known = try AccessFacts.read(from: local, withActivity: false).machine(machine.description) {
      Terminal.printNote(
        "\(Output.cell(name)) was enrolled by \(known.enrolledBy) on \(Output.date(known.enrolled)).")
    }
    let key = try vaultKey.key(of: local, because: VaultKeyOptions.reasonForAdmin)
    try SyncProgram.withMembershipChange(local) { (_) throws(VaultError) in
      try appointment.run(with: key)
    }
    try Output.line("\(Output.cell(name)) is an admin after its next sync.")
  }
}
