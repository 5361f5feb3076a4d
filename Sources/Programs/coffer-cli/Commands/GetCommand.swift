internal import ArgumentParser
internal import Coffer

struct GetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print an item's value.",
    discussion: """
      The value is written to standard output unchanged. On a terminal a newline follows, and characters that could \
      control the terminal are shown as escapes.
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
