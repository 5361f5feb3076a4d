internal import ArgumentParser
internal import Coffer

struct GetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print an item's value.",
    discussion: """
      The value is written to standard output unchanged. On a terminal a newline follows, and characters that could \
      control the terminal are shown as escapes.

      If several groups have the item, prints that of the first group in the order of `coffer list --tree`, as `coffer show`
      does. --group names another.
      """)
  @OptionGroup var names: PasswordArguments
  @OptionGroup var group: GroupOption
  @Flag(help: "Write the value unchanged on a terminal too.")
  var raw = false
  @OptionGroup var actor: ActorOptions

  func run() throws {
    guard let value = try actor.open(for: .reading(group.group)).value(for: names.password, in: group.group) else {
      throw names.notFound(in: group, as: actor)
    }
    try TerminalValue.show(value, isRaw: raw)
  }
}
