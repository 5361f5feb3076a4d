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

      What it wrote before stays valid. If it goes on writing while this command runs, what arrives late is refused, even \
      if it was written before: see `coffer refused`, which can also adopt it.

      The vault key is needed to take out an admin, so that a stolen machine cannot do this to the others. With the vault \
      key, this also works if that admin has forked the membership log: the fork ends then.
      """)
  @Argument(
    help: ArgumentHelp(
      "The machines' names, or the beginnings of their identifiers, see: coffer device list", valueName: "name"))
  var names: [String]
  @OptionGroup var removal: RemovalOptions

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    let machines = try Set(names.map(local.memberMachine(named:))).sorted()
    try removal.run(
      local, .machines(machines),
      summary: machines.count == 1
        ? "\(Output.cell(names[0])) is taken out of the vault."
        : "\(machines.count) machines are taken out of the vault.")
  }
}
