internal import ArgumentParser

struct RefusedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refused", abstract: "List versions of items that do not count, and adopt or discard them.",
    discussion: """
      A version does not count if the membership log does not let its author write it: above all what a machine or an app \
      wrote after it was removed. As the owner, you can adopt such a version, on the machine that lists it, or discard it.
      """,
    subcommands: [RefusedListCommand.self, RefusedAdoptCommand.self, RefusedDiscardCommand.self],
    defaultSubcommand: RefusedListCommand.self)
}
