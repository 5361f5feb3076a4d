internal import ArgumentParser

struct GroupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group", abstract: "Show access groups, and demand how machines guard their keys.",
    subcommands: [GroupListCommand.self, GroupRequireCommand.self])
}
