internal import ArgumentParser

struct GroupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group", abstract: "Show access groups.", subcommands: [GroupListCommand.self])
}
