internal import ArgumentParser
internal import Coffer
internal import CofferTerminal
internal import CofferVault

struct DeviceRevokeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Take machines out of the vault.",
    discussion: """
      For a machine that was lost, stolen or given away. Nothing that it writes from now on counts on other machines, and \
      it gets no new keys: it opens nothing that is written after the other machines have synced. What it could read \
      before, it may have kept: replace those passwords.

      The vault key is needed to take out an admin, so that a stolen machine cannot do this to the others.
      """)
  @Argument(help: ArgumentHelp("The machines' names, see: coffer device list", valueName: "name"))
  var names: [String]
  @OptionGroup var removal: RemovalOptions

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    let subject = names.count == 1 ? "\(Output.cell(names[0])) is" : "\(names.count) machines are"
    try removal.run(local, summary: "\(subject) taken out of the vault.") { () throws(VaultError) in
      .machines(try names.map(local.memberMachine(named:)))
    }
  }
}
