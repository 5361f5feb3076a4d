internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferTerminal
internal import CofferVault

struct OTPRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove the seed of an account's one-time codes; the password stays.",
    discussion: "Earlier versions in the history of the item keep the seed.", aliases: ["rm"])
  @OptionGroup var password: PasswordChoice
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func validate() throws { try password.checkNames() }

  func run() throws {
    let vault = try actor.open(for: .changing(group.group), to: .use)
    let found = try password.findOne(in: vault, group: group, as: actor)
    guard found.hasOneTimeCodes else { throw found.withoutOneTimeCodes(app: actor.app) }
    try vault.check(.changing(found.group))
    try found.setOneTimePassword(nil, replacing: true, in: vault)
    try Output.line("Removed the one-time codes of \(Output.cell(found.title)) in \(found.group)")
  }
}
