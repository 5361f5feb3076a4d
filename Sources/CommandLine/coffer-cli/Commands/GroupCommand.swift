internal import ArgumentParser

struct GroupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group", abstract: "Show, create and delete access groups, and demand how machines guard their keys.",
    subcommands: [GroupListCommand.self, GroupCreateCommand.self, GroupDeleteCommand.self, GroupRequireCommand.self])
}
