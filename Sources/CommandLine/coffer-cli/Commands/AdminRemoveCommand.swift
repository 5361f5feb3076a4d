internal import ArgumentParser
internal import Coffer
internal import CofferAdministration
internal import CofferTerminal
internal import CofferVault

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
