internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferFormat
internal import CofferTerminal
internal import CofferVault

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
  @Flag(help: "Print JSON.")
  var json = false
  @OptionGroup var passphrase: PassphraseOptions
  @OptionGroup var claims: ClaimOptions

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    // By its identifier: another machine could get the name during the sync.
    let machine = try local.memberMachine(named: name)
    let renaming = MachineRenaming(of: machine, to: newName, in: local, despiteClaims: claims.despiteClaims)
    // What can be checked is checked before anybody is asked.
    let former = try renaming.check()
    let source = passphrase.source(of: local).rememberingFirst()
    try SyncProgram.withMembershipChange(local) { (_) throws(VaultError) in
      try renaming.run(passphrase: source)
    }
    if json {
      try Output.json(object: ["name": newName, "formerName": former, "machineID": machine.description])
    } else {
      try Output.line("\(Output.cell(former)) is now named \(Output.cell(newName)).")
    }
  }
}
