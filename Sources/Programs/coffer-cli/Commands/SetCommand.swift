internal import ArgumentParser
internal import Coffer

struct SetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Create or replace an item.",
    discussion: """
      The value is read from standard input, byte for byte (use printf rather than echo), or from a prompt on the \
      terminal. It is on disk when the command returns.
      """)
  @OptionGroup var names: PasswordArguments
  @Option(help: "A name for people, shown in lists.")
  var label: String?
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  func run() throws {
    let vault = try actor.open(for: .writing(group.group))
    var password = names.password
    password.label = label
    try vault.set(try SecretInput.value(named: "\(names.service), \(names.account)"), for: password, in: group.group)
  }
}
