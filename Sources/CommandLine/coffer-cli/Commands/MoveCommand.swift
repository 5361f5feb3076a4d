internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferInspection
internal import CofferTerminal
internal import CofferVault

struct MoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Move a password to another access group.",
    discussion: """
      Whoever could read the old group keeps what it has read: move a password before it is used, or replace its value as \
      well. The history stays in the old group.
      """)
  @OptionGroup var password: PasswordChoice
  @Option(
    help: ArgumentHelp("The new access group.", valueName: "group"), completion: .custom(VaultCompletion.groups))
  var to: String
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws { try password.checkNames() }

  func run() throws {
    let vault = InspectedVault(try actor.open(for: .changing(group.group), to: .use))
    let details = try vault.details(of: password.findOne(in: vault.vault, group: group, as: actor))
    try vault.move(details.revision, to: to)
    let name = try vault.groups(named: to).first ?? to
    try Output.line("Moved \(Output.cell(details.row.title)) from \(details.row.group) to \(Output.cell(name))")
  }
}
