internal import ArgumentParser

struct RotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate",
    abstract: "List the items to replace after machines or apps were taken out, or dismiss them.",
    discussion: """
      Whoever was taken out may have kept what it could read. An item is listed until it has another value that was \
      written afterwards, on a machine that had heard of it: change the password where it is used, then run `coffer set`. \
      Or dismiss it, with a reason.
      """,
    subcommands: [RotateListCommand.self, RotateDismissCommand.self], defaultSubcommand: RotateListCommand.self)
}
