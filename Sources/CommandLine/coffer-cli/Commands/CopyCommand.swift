internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferInspection
internal import CofferTerminal
internal import CofferVault

struct CopyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "copy", abstract: "Copy a password under other names, or to another access group.",
    discussion: """
      The copy has the value and the attributes of the password, apart from those that are given, and is an item of its own \
      from then on.
      """)
  @OptionGroup var password: PasswordChoice
  @Option(
    help: ArgumentHelp("The access group of the copy. Default: that of the password.", valueName: "group"),
    completion: .custom(VaultCompletion.groups))
  var to: String?
  @OptionGroup var attributes: AttributeOptions
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws {
    try password.checkNames()
    guard to != nil || !attributes.isEmpty else {
      throw ValidationError("give the copy another group with --to, or other names with --service or --account")
    }
  }

  func run() throws {
    let vault = InspectedVault(try actor.open(for: .reading(group.group), to: .use))
    let details = try vault.details(of: password.findOne(in: vault.vault, group: group, as: actor))
    let copy = try vault.copy(
      details.revision, attributes.changes(of: InspectedVault.newFields(of: details.row.kind)),
      to: to ?? details.row.group)
    let row = try vault.details(of: copy).row
    try Output.line(
      "Copied \(Output.cell(details.row.title)) in \(details.row.group) to \(Output.cell(row.title)) in \(row.group)")
  }
}
