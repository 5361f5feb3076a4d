internal import ArgumentParser

struct LogCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "Show the membership log: who changed what when, and who signed it.",
    discussion: """
      Without a subcommand, shows the entries: `coffer log -n 5`, `coffer log --json`, `coffer log --verify`; all options \
      are listed by: coffer log show --help
      """,
    subcommands: [LogShowCommand.self, LogResolveCommand.self], defaultSubcommand: LogShowCommand.self)
}
