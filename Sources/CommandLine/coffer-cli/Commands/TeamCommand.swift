internal import ArgumentParser

struct TeamCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "team", abstract: "Create the key of a vendor's team.",
    discussion: """
      A vendor signs the plists of its apps with one team key (coffer app sign). At their first launch, apps share access \
      groups only with apps of the same team.
      """,
    subcommands: [TeamCreateCommand.self])
}
