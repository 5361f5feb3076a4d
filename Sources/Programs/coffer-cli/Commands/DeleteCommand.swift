internal import ArgumentParser
internal import Coffer

struct DeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "delete", abstract: "Delete an item.", aliases: ["rm"])
  @OptionGroup var names: PasswordArguments
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func run() throws {
    let vault = try actor.open()
    if actor.app == nil { try vault.checkWritable(group.group) }
    guard try vault.delete(names.password, in: group.group) else { throw names.notFound(in: group, as: actor) }
  }
}
