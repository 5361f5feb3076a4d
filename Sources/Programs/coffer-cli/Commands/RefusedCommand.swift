internal import ArgumentParser

struct RefusedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refused", abstract: "List versions of items that do not count, and adopt them.",
    discussion: """
      A version does not count if the membership log does not let its author write it: above all what a machine or an app \
      wrote after it was taken out. Nothing is lost: as the owner, you can adopt such a version.
      """,
    subcommands: [RefusedListCommand.self, RefusedAdoptCommand.self], defaultSubcommand: RefusedListCommand.self)
}
