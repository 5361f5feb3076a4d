internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferTerminal
internal import CofferVault

struct DeviceRevokeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Remove machines from the vault.",
    discussion: """
      For a machine that was lost, stolen or given away. Nothing that it writes from now on counts on other machines, and \
      it gets no new keys: it opens nothing that is written after the other machines have synced. What it could read \
      before, it may have kept: replace those passwords.

      What it wrote before stays valid. If it goes on writing while this command runs, what arrives late is refused, even \
      if it was written before: see `coffer refused`, which can also adopt it.

      The vault key is needed to remove an admin, so that a stolen machine cannot do this to the others. With the vault \
      key, this also works if that admin has forked the membership log: the fork ends then. One admin has to remain. To \
      leave a machine in the vault without an admin's rights, use: coffer admin remove

      An admin knows the keys of the apps that it gave to other machines, and could go on with them. These apps lose their \
      rights there too, until an admin gives them again: coffer app install APP --on NAME. Machines that the admin has \
      enrolled stay, and are listed: remove those that you do not know.

      After a recovery from the repository and the vault key alone, --all-others removes the machines that were lost. If \
      somebody may also have the vault key, replace it then: coffer vault-key rotate.
      """)
  @Argument(
    help: ArgumentHelp(
      "The machines' names, or the beginnings of their identifiers, see: coffer device list", valueName: "name"))
  var names: [String] = []
  @Flag(help: "Remove every machine but this one.")
  var allOthers = false
  @OptionGroup var removal: RemovalOptions

  func validate() throws {
    if names.isEmpty && !allOthers { throw ValidationError("Missing expected argument '<name> ...'") }
    if !names.isEmpty && allOthers { throw ValidationError("--all-others takes no names") }
  }

  func run() throws {
    let local = try LocalVault.open(VaultFolder(.standard()))
    let machines = try allOthers ? local.otherMachines() : Set(names.map(local.memberMachine(named:))).sorted()
    try removal.run(local, .machines(machines)) { done in
      done.machines.count == 1
        ? "\(Output.cell(done.machines[0].name)) is removed from the vault."
        : "\(done.machines.count) machines are removed from the vault."
    }
  }
}
